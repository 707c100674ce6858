/** The workflows of Tenure: a durable pipeline from a device's first contact to an approved, applied change. */
export { addDevice } from "./add-device.ts";
export { applyTransaction } from "./apply-transaction.ts";
export { changeService } from "./change-service.ts";
export { checkDrift } from "./check-drift.ts";
export { importDevices } from "./import-devices.ts";
export { planAndApply } from "./plan-and-apply.ts";

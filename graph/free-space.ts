import { statfs } from "node:fs/promises";
import { StoreError } from "./store-error.ts";

/**
 * Refuses while less than `reserveBytes` are free where `folder` lies: LadybugDB half-commits on a full disk, so writing
 * stops while there still is room. Error: `no-space`.
 */
export async function refuseWithoutSpace(folder: string, reserveBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= reserveBytes) return;
  const message = `only ${free} bytes are free where ${folder} lies; ${reserveBytes} are kept in reserve`;
  throw new StoreError("no-space", message, { free, reserve: reserveBytes });
}

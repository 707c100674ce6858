/** Workflows that push a text of the asked size through one kind of payload each. */
import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  executeChild,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
} from "@temporalio/workflow";

export interface ProbeActivities {
  takeText(text: string): Promise<number>;
  giveText(size: number): Promise<string>;
  failWith(size: number): Promise<void>;
  heartbeatWith(size: number): Promise<void>;
}

// The rule of the product's own activities: retried without limit unless the failure says otherwise.
const activities = proxyActivities<ProbeActivities>({
  startToCloseTimeout: "1 minute",
  heartbeatTimeout: "10 seconds",
  retry: { initialInterval: "100 milliseconds", nonRetryableErrorTypes: ["CancelledFailure"] },
});

export const endSignal = defineSignal<[string]>("end");
export const textQuery = defineQuery<string, [number]>("text");
export const textUpdate = defineUpdate<string, [string, number]>("text");

const textOf = (size: number): string => "x".repeat(size);

export async function activityInput(size: number): Promise<number> {
  return activities.takeText(textOf(size));
}

export async function activityResult(size: number): Promise<number> {
  return (await activities.giveText(size)).length;
}

export async function activityFailure(size: number): Promise<void> {
  await activities.failWith(size);
}

export async function heartbeatDetails(size: number): Promise<void> {
  await activities.heartbeatWith(size);
}

export function workflowResult(size: number): Promise<string> {
  return Promise.resolve(textOf(size));
}

export function workflowFailure(size: number): Promise<void> {
  return Promise.reject(
    ApplicationFailure.nonRetryable(textOf(size), "Probe", textOf(size), { diagnostics: [textOf(size), "kept?"] }),
  );
}

export async function childInput(size: number): Promise<number> {
  return executeChild(workflowInput, { args: [textOf(size)] });
}

export function workflowInput(text: string): Promise<number> {
  return Promise.resolve(text.length);
}

export async function signalToOther(size: number, workflowId: string): Promise<void> {
  await getExternalWorkflowHandle(workflowId).signal(endSignal, textOf(size));
}

/** Answers queries and updates until it is told to end; its result is what the signal said. */
export async function listener(): Promise<string> {
  let end: unknown;
  setHandler(textQuery, (size) => textOf(size));
  setHandler(textUpdate, (text, size) => `${text.length} ${textOf(size)}`);
  setHandler(endSignal, (text) => {
    end = text;
  });
  await condition(() => end !== undefined);
  return typeof end === "string" ? `${end.length} characters` : JSON.stringify(end);
}

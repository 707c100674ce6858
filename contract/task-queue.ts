/**
 * Task queues. Approvals, locks and decisions must never wait behind a busy fleet, so the work of the graph owner has
 * a queue of its own, and so have device sessions.
 */
export const TaskQueue = {
  /** Workflow tasks. */
  workflows: "tenure-workflows",
  /** Activities of the process that owns the graph: locks, decisions, journal, proposals. */
  control: "tenure-control",
  /** Activities that speak to devices. */
  devices: "tenure-devices",
} as const;
export type TaskQueue = (typeof TaskQueue)[keyof typeof TaskQueue];

/** Search attributes that every Temporal namespace of ours must know before anything starts. */
export const SEARCH_ATTRIBUTES = {
  TenurePlan: "Keyword",
  TenureDevice: "KeywordList",
  TenureService: "KeywordList",
  TenurePhase: "Keyword",
} as const;

/** What can be wrong with the Temporal server, by who has to do something about it. */
export type TemporalServerErrorCode =
  /** `TEMPORAL_ADDRESS` is set and no Temporal server answers there. */
  | "address-unreachable"
  /** `TEMPORAL_CLI` names something that is not an executable file. */
  | "program-unusable"
  /** No server program was found in any place where it may be. */
  | "program-missing"
  /** The program ended or stayed silent instead of becoming healthy. */
  | "start-failed"
  /** Another running process owns the data file. */
  | "data-in-use";

/** Thrown by everything in this folder; `message` says what to do. */
export class TemporalServerError extends Error {
  override readonly name = "TemporalServerError";
  readonly code: TemporalServerErrorCode;

  constructor(code: TemporalServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

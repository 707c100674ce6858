/** What a benchmark tells: figures, each ours beside a peer's from the same run. */

/** Times are processor seconds, user and system: they hold on a busy machine, and count our helper threads against us. */
export interface Figure {
  readonly name: string;
  readonly unit: "s" | "us/leaf" | "bytes/leaf" | "bytes/item" | "rows/s" | "MB" | "times";
  /** Medians, in `unit`. Null where there is nothing to measure, or it could not be measured. */
  readonly ours: number | null;
  readonly peer: number | null;
  /** ours / peer. */
  readonly ratio: number | null;
  /** In words, as `met` judges it; null where the figure is for information. */
  readonly goal: string | null;
  /** Null when there is no goal, or when it could not be judged: then `reason` says why. */
  readonly met: boolean | null;
  /** Seconds on the wall beside the processor's, where the figure is a time. */
  readonly oursWall?: number;
  readonly peerWall?: number;
  /** Why a figure is missing. */
  readonly reason?: string;
  /** What the figure stands for: which program, which input, what is included. */
  readonly note?: string;
}

export interface BenchOptions {
  /** How often each side is measured; the median counts. */
  readonly runs: number;
  /** Size of the large document, in leafs. */
  readonly leafs: number;
  /** Size of the large graph, in items. */
  readonly items: number;
  /** Where things are that were fetched for the bench; undefined with the reason in `missing`. */
  readonly openConfig: string | undefined;
  readonly pyang: string | undefined;
  readonly missing: string | undefined;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Parts that can be asked for one by one, in the order in which they run. */
  readonly parts: Readonly<Record<string, (options: BenchOptions) => Promise<readonly Figure[]>>>;
}

/** A time of ours against a peer's, judged by their ratio where `atMost` is given. */
export function comparedFigure(input: {
  readonly name: string;
  readonly ours: Sample;
  readonly peer: Sample;
  readonly atMost?: number;
  readonly note?: string;
}): Figure {
  const { name, ours, peer, atMost, note } = input;
  const ratio = ours.cpu / peer.cpu;
  return {
    name,
    unit: "s",
    ours: ours.cpu,
    peer: peer.cpu,
    ratio,
    goal: atMost === undefined ? null : `ratio at most ${String(atMost)}`,
    met: atMost === undefined ? null : ratio <= atMost,
    oursWall: ours.wall,
    peerWall: peer.wall,
    ...(note === undefined ? {} : { note }),
  };
}

/** A quantity of ours that has no peer, judged by itself. */
export function boundedFigure(input: {
  readonly name: string;
  readonly unit: Figure["unit"];
  readonly ours: number;
  readonly atMost?: number;
  readonly wall?: number;
  readonly note?: string;
}): Figure {
  const { name, unit, ours, atMost, wall, note } = input;
  return {
    name,
    unit,
    ours,
    peer: null,
    ratio: null,
    goal: atMost === undefined ? null : `at most ${String(atMost)} ${unit}`,
    met: atMost === undefined ? null : ours <= atMost,
    ...(wall === undefined ? {} : { oursWall: wall }),
    ...(note === undefined ? {} : { note }),
  };
}

/** A figure that could not be measured, and why. */
export function missingFigure(name: string, reason: string, goal: string | null = null): Figure {
  return { name, unit: "s", ours: null, peer: null, ratio: null, goal, met: null, reason };
}

/** Seconds on the wall and of the processor. */
export interface Sample {
  readonly wall: number;
  readonly cpu: number;
}

/** The median of each, not the sample in the middle: the two need not come from the same run. */
export function medianSample(samples: readonly Sample[]): Sample {
  return { wall: median(samples.map(({ wall }) => wall)), cpu: median(samples.map(({ cpu }) => cpu)) };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("the median of nothing");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

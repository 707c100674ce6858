/**
 * The benchmarks: how fast, how large, how it grows, each beside a program that others made, in one run.
 *
 * Prints a table for people and, as its last line, one JSON object. Figures that cannot be measured here are null and
 * say why. A missed goal is no failure unless `--strict`.
 */
import { parseArgs } from "node:util";
import { type Bench, type Figure, missingFigure } from "./figure.ts";
import { graphBench } from "./graph.ts";
import { modelBench } from "./model.ts";
import { formatTable } from "./table.ts";

const BENCHES: readonly Bench[] = [modelBench, graphBench];

const USAGE = `usage: npm run bench -- NAME [--runs N] [--leafs N] [--items N] [--part PART].. [--json] [--strict]
  --runs N     measure each side N times, the median counts (5)
  --leafs N    size of the large document of bench model (320000)
  --items N    size of the large graph of bench graph (1000000)
  --part PART  this part only; may be repeated
  --json       the last line only
  --strict     exit 1 when a goal is missed or could not be judged

${BENCHES.map(({ name, about, parts }) => `${name}: ${about}\n  parts: ${Object.keys(parts).join(", ")}`).join("\n")}
`;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      runs: { type: "string", default: "5" },
      leafs: { type: "string", default: "320000" },
      items: { type: "string", default: "1000000" },
      part: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      // Set by scripts/bench.mjs.
      openconfig: { type: "string" },
      pyang: { type: "string" },
      missing: { type: "string" },
    },
  });
  const [name] = positionals;
  if (name === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const bench = BENCHES.find((each) => each.name === name);
  const runs = wholeNumber(values.runs);
  const leafs = wholeNumber(values.leafs);
  const items = wholeNumber(values.items);
  const unknownPart = values.part.find((part) => bench?.parts[part] === undefined);
  if (
    bench === undefined ||
    runs === undefined ||
    leafs === undefined ||
    items === undefined ||
    unknownPart !== undefined
  ) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { openconfig: openConfig, pyang, missing } = values;
  const figures: Figure[] = [];
  for (const [part, measure] of Object.entries(bench.parts)) {
    if (values.part.length > 0 && !values.part.includes(part)) continue;
    process.stderr.write(`bench: ${name}: ${part} ...\n`);
    try {
      figures.push(...(await measure({ runs, leafs, items, openConfig, pyang, missing })));
    } catch (error) {
      // What other parts found is not lost with it.
      figures.push(missingFigure(`${name}: ${part}`, messageOf(error), "that it can be measured"));
    }
  }
  if (!values.json) process.stdout.write(`${formatTable(figures)}\n`);
  process.stdout.write(`${JSON.stringify({ bench: name, figures })}\n`);
  const missed = figures.some(({ goal, met }) => goal !== null && met !== true);
  return values.strict && missed ? 1 : 0;
}

function wholeNumber(text: string): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${messageOf(error)}\n`);
  process.exitCode = error instanceof TypeError && "code" in error ? 2 : 1;
}

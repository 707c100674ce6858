/** The table for people. */
import type { Figure } from "./figure.ts";

export function formatTable(figures: readonly Figure[]): string {
  const head = ["figure", "ours", "peer", "ratio", "wall ours/peer", "goal", ""];
  const rows = figures.map((figure) => [
    figure.name,
    formatValue(figure.ours, figure.unit),
    formatValue(figure.peer, figure.unit),
    figure.ratio === null ? "-" : figure.ratio.toFixed(2),
    wall(figure),
    figure.goal ?? "",
    figure.met === null ? (figure.reason === undefined ? "" : "not measured") : figure.met ? "met" : "MISSED",
  ]);
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string => {
    return cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  };
  const notes = figures.flatMap(({ name, note, reason }) => [
    ...(note === undefined ? [] : [`${name}: ${note}`]),
    ...(reason === undefined ? [] : [`${name}: not measured: ${reason}`]),
  ]);
  return [line(head), ...rows.map(line), "", ...notes].join("\n");
}

function wall({ oursWall, peerWall }: Figure): string {
  if (oursWall === undefined) return "-";
  return `${oursWall.toFixed(2)} / ${peerWall === undefined ? "-" : peerWall.toFixed(2)}`;
}

function formatValue(value: number | null, unit: Figure["unit"]): string {
  if (value === null) return "-";
  switch (unit) {
    case "s":
      return `${value.toFixed(3)} s`;
    case "us/leaf":
      return `${value.toFixed(2)} us/leaf`;
    case "bytes/leaf":
      return `${value.toFixed(0)} B/leaf`;
    case "bytes/item":
      return `${value.toFixed(0)} B/item`;
    case "rows/s":
      return `${value.toFixed(0)} rows/s`;
    case "MB":
      return `${value.toFixed(0)} MB`;
    case "times":
      return `${value.toFixed(2)} times`;
  }
}

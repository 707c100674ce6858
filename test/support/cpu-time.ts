/**
 * Processor time that this process has used, in milliseconds. For tests of how work grows: unlike the clock on the wall
 * it does not run while another process has the processor.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

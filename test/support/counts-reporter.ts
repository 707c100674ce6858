import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends every run with `N passed, N failed, N skipped` alone on a line, the form that people and `.ci/run` read.
 * A test file that does not load, and an error outside any test, count as failures: neither has a test to carry them.
 *
 * `TENURE_SKIPPED_PART` and `TENURE_FAILED_PART` name a part that the caller could not run; it is printed and counts
 * as one.
 */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const { TENURE_SKIPPED_PART: skippedPart, TENURE_FAILED_PART: failedPart } = process.env;
    let passed = 0;
    let failed = unhandledErrors.length + (failedPart === undefined ? 0 : 1);
    let skipped = skippedPart === undefined ? 0 : 1;
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
    }
    // At exit, because the default reporter writes its own summary after this.
    process.once("exit", () => {
      if (skippedPart !== undefined) process.stdout.write(`\nskipped: ${skippedPart}\n`);
      if (failedPart !== undefined) process.stdout.write(`\nfailed: ${failedPart}\n`);
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }
}

export default CountsReporter;

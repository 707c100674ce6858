import type { Reporter, TestModule } from "vitest/node";

/** A run of tests by name (`-t`) skips all others. */
const MOST_NAMED = 30;

/**
 * Ends every run with `N passed, N failed, N skipped` alone on a line, the form that people and `.ci/run` read.
 * A test file that does not load, and an error outside any test, count as failures: neither has a test to carry them.
 * Each skipped test is named in a line of its own above, with the reason that its name gives.
 */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped: string[] = [];
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped.push(`${module.relativeModuleId}: ${test.fullName}`);
      }
    }
    // At exit, because the default reporter writes its own summary after this.
    process.once("exit", () => {
      for (const name of skipped.slice(0, MOST_NAMED)) process.stdout.write(`\nskipped: ${name}`);
      if (skipped.length > MOST_NAMED) process.stdout.write(`\nskipped: ${skipped.length - MOST_NAMED} more`);
      process.stdout.write(`\n\n${passed} passed, ${failed} failed, ${skipped.length} skipped\n`);
    });
  }
}

export default CountsReporter;

import { defineConfig } from 'vitest/config'

/** The tracker's files that need no browser. They load its modules again for each page. */
const TRACKER = ['test/tracker/**/*.test.ts']
const BROWSER = ['test/browser/**/*.test.ts']
const FAULTS = ['test/faults/**/*.test.ts']
const PACKAGE = ['test/package/**/*.test.ts']

const limits = {
  // These limits end tests that hang. They are long, so that no test fails because the machine is busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
}

const nodeRunner = {
  isolate: false,
  // Node runs the sources itself, as it does in the service: nothing is transformed, and the compile cache
  // works. The files of the tracker need Vitest's own runner, which can load a module a second time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

export default defineConfig({
  test: {
    globalSetup: 'test/setup/global-setup.ts',
    // One more than the cores that we count on: many files wait for the processes of services, and then
    // another file works.
    maxWorkers: 3,
    // Files share worker processes, because a process takes half a second to start and then imports the same
    // modules again. So each file closes what it opens, and restores what it replaces. `npm test --
    // --sequence.shuffle.files` finds files that depend on others.
    // package.json has a command for each kind (CONTRIBUTING.md, Tests).
    projects: [
      { test: { name: 'tracker', include: TRACKER, isolate: false, ...limits } },
      {
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [...TRACKER, ...BROWSER, ...FAULTS, ...PACKAGE],
          ...nodeRunner,
          ...limits,
        },
      },
      // Files that run in the same worker share one Chromium (sharedBrowser in test/support/browser.ts). Its
      // processes keep one core busy, so two workers are enough for two cores.
      { test: { name: 'browser', include: BROWSER, maxWorkers: 2, ...nodeRunner, ...limits } },
      { test: { name: 'faults', include: FAULTS, ...nodeRunner, ...limits } },
      { test: { name: 'package', include: PACKAGE, ...nodeRunner, ...limits } },
    ],
  },
})

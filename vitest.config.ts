import { defineConfig } from 'vitest/config'

const TRACKER = ['test/tracker/**/*.test.ts']
const DASHBOARD = ['test/dashboard/**/*.test.ts']
/** These open pages in a Chromium. The browser and the page take most of their time. */
const PAGES = ['test/replay/**', 'test/scans/**', 'test/journeys/pages/**', 'test/providers/chromium/**'].map(
  folder => `${folder}/*.test.ts`,
)
/** These start the service, the command line or a bundle of a function as a process, many times. */
const PROCESSES = [
  'test/local/main.test.ts',
  ...['test/journeys/**', 'test/cli/**', 'test/bundles/**'].map(folder => `${folder}/*.test.ts`),
]
const PACKAGE = ['test/package/**/*.test.ts']

const limits = {
  // These limits end tests that hang. They are long, so that no test fails because the machine is busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // A race between processes or browsers now and then fails one of 11,000 tests. The report names a test that
  // needed its second try (retry x1): mend its race. What is wrong fails twice.
  retry: 1,
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
    // `npm test` runs `service` alone, which takes five minutes. package.json has a script for the others.
    projects: [
      {
        // These files share one Chromium (sharedBrowser in test/support/browser.ts).
        test: { name: 'tracker', include: TRACKER, isolate: false, ...limits },
      },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...TRACKER, ...DASHBOARD, ...PAGES, ...PROCESSES, ...PACKAGE],
          ...nodeRunner,
          ...limits,
        },
      },
      { test: { name: 'pages', include: PAGES, ...nodeRunner, ...limits } },
      {
        test: { name: 'processes', include: PROCESSES, exclude: PAGES, ...nodeRunner, ...limits },
      },
      {
        // These files share one service with the demo traffic, and one Chromium (test/support/dashboard.ts).
        test: { name: 'dashboard', include: DASHBOARD, ...nodeRunner, ...limits },
      },
      {
        // These build what others install, for a minute.
        test: { name: 'package', include: PACKAGE, ...nodeRunner, ...limits },
      },
    ],
  },
})

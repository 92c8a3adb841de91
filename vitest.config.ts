import { defineConfig } from 'vitest/config'

/** Tests of rules, without processes and engines of their own. */
const SHARED = ['core', 'cost', 'docs', 'lambdas', 'lib', 'schemas', 'support'].map(
  folder => `test/${folder}/**/*.test.ts`,
)

const TRACKER = ['test/tracker/**/*.test.ts']

const limits = {
  // These limits end tests that hang. They are long, so that no test fails because the machine is busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    // On two cores, more workers only slow down the browser and the service processes.
    maxWorkers: 2,
    projects: [
      {
        // These files share processes, because a process takes half a second to start. So each file closes what it opens, and
        // restores what it replaces. `npm test -- --sequence.shuffle.files` finds files that depend on others.
        test: {
          name: 'shared',
          include: SHARED,
          isolate: false,
          ...limits,
        },
      },
      {
        // These files share processes too, and with them one Chromium (sharedBrowser in test/support/browser.ts).
        test: { name: 'tracker', include: TRACKER, isolate: false, ...limits },
      },
      {
        test: {
          name: 'isolated',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARED, ...TRACKER],
          ...limits,
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    // These limits end tests that hang. They are long, so that no test fails because the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // On two cores, more workers only slow down the browser and the service processes.
    maxWorkers: 2,
  },
})

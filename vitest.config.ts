import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/support/run-settings.ts',
    include: ['test/**/*.test.ts'],
    // Limits end hung tests. A busy machine must not reach them.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Two cores: more workers than that only make the browser and the killed processes slower.
    maxWorkers: 2,
  },
})

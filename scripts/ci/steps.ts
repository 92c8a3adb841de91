/** A step of `.ci/run`: a script of package.json. */
export type Step = {
  script: string
  /** What it proves. */
  name: string
  env?: Record<string, string>
  /** It runs test files. Those that fail run once more, alone. */
  hasTests?: true
}

/** The steps in their order. They are scripts that a developer can run too. */
export const STEPS: readonly Step[] = [
  { script: 'types', name: 'types' },
  { script: 'lint', name: 'lint, format and comments' },
  { script: 'synth', name: 'template of the stack, with nag' },
  { script: 'lint:template', name: 'template in all regions, with cfn-lint' },
  { script: 'size:tracker', name: 'size of the tracker' },
  {
    script: 'test',
    name: 'tests in Node',
    hasTests: true,
    // Twice the depth and another seed than `npm test`. The seed is fixed, so a failure here is caused by the
    // change under test; `npm run test:deep` goes twenty times as deep and draws a new seed.
    env: { TEST_DEPTH: '2', TEST_SEED: '2' },
  },
  { script: 'test:browser', name: 'tests in a browser', hasTests: true },
  { script: 'test:faults', name: 'tests of faults', hasTests: true },
  { script: 'test:package', name: 'tests of the package', hasTests: true },
  { script: 'smoke', name: 'a real start that answers requests' },
]

/** Why the other scripts of package.json are no steps. */
export const NO_STEPS: Readonly<Record<string, string>> = {
  start: '`smoke` starts it',
  'test:deep': '`test` is a step, at depth 2',
  'test:trino': 'needs a JDK, Maven and the files of Trino',
  rehearse: 'needs Python, and takes half an hour',
  check: '`types` and `lint` are steps',
  format: 'changes files; `lint` checks the same',
  docs: 'changes files; `test` checks that they are fresh',
  adopt: 'changes a stack',
  restore: 'changes a stack',
  promote: 'changes a stack',
  'smoke:aws': 'needs an AWS account; `rehearse` runs its parts on an emulator',
  doctor: 'looks at a stack; `test` runs its parts',
  'build:cdk': '`test:package` builds it',
  'build:cli': '`test:package` builds it',
  'build:service': '`test:package` builds it',
  cost: 'prints figures',
  bench: 'prints figures',
  'world-shapes': 'writes a file of the dashboard from packages that are not installed',
  'readme-picture': 'writes a picture',
  screenshots: 'writes pictures; `test:browser` draws them too',
}

/** Hooks of npm, which run with the script that they are named after, or when npm packs. */
const HOOK = /^(pre|post)/

/**
 * Returns what is wrong with the steps, as sentences: a step without its script, and a script of package.json
 * that is neither a step nor named with a reason. So no check is silently left out.
 */
export function faultsOfSteps(scripts: Readonly<Record<string, string>>): string[] {
  const steps = new Set(STEPS.map(({ script }) => script))
  const unknown = [...steps, ...Object.keys(NO_STEPS)].filter(name => scripts[name] === undefined)
  const left = Object.keys(scripts).filter(
    name => !HOOK.test(name) && !steps.has(name) && NO_STEPS[name] === undefined,
  )
  return [
    ...unknown.map(name => `scripts/ci/steps.ts names the script "${name}", which package.json has not.`),
    ...left.map(name => `The script "${name}" is no step of .ci/run. Name it in scripts/ci/steps.ts.`),
  ]
}

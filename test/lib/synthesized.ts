import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Annotations, App } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { readConfig } from '#lib/config'
import { Service } from '#lib/service'
import { type FunctionName, functions } from '#schemas/functions'

export type Resource = {
  Type: string
  // Resources have many shapes. A test casts to the shape that it expects.
  Properties: Record<string, unknown>
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
}

export type Synthesized = {
  stack: Service
  template: {
    Resources: Record<string, Resource>
    Outputs: Record<string, { Value: unknown; Description: string }>
  }
  /** What `cdk synth` warns about. */
  warnings: string[]
  /** Resources of a type, by logical id. */
  all(type: string): [id: string, resource: Resource][]
  /** The only resource of a type. Throws unless there is exactly one. */
  only(type: string): Resource
  /** The function with the name of its folder in lambdas/. */
  lambda(name: FunctionName): { id: string; properties: Resource['Properties'] }
}

const known = new Map<string, Synthesized>()

/**
 * Returns the stack as `cdk synth -c …` synthesizes it, with one line of code instead of each bundle. The
 * files of a process share the stacks, because a synthesis takes half a second: change none of them.
 */
export function synthesize(
  context: Record<string, unknown> = {},
  /** Settings of the CDK itself, such as `@aws-cdk/core:permissionsBoundary`. */
  cdkContext: Record<string, unknown> = {},
): Synthesized {
  const key = JSON.stringify([context, cdkContext])
  const synthesized = known.get(key) ?? synthesizeAnew(context, cdkContext)
  known.set(key, synthesized)
  return synthesized
}

/** Like `synthesize`, for a stack of the caller's own. */
export function synthesizeAnew(
  context: Record<string, unknown> = {},
  cdkContext: Record<string, unknown> = {},
): Synthesized {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-synth-'))
  try {
    const config = readConfig(context)
    const app = new App({
      context: { ...flags, ...cdkContext },
      outdir: join(folder, 'cdk.out'),
      // This validation takes three seconds. The check `cdk synth` does it.
      builtinCloudFormationValidation: false,
      // What only people and tools read, beside the template. It takes a third of the time.
      stackTraces: false,
      treeMetadata: false,
      analyticsReporting: false,
    })
    const stack = new Service(app, config.stackName, { config, folders: writeBundles(folder) })
    const warnings = stack.node.metadata
      .filter(({ type }) => type === 'aws:cdk:warning')
      .map(({ data }) => String(data))
    // Synthesis prints a warning that nobody has acknowledged.
    Annotations.of(stack).acknowledgeWarning('footfall:no-alarm-address')
    const template: Synthesized['template'] = app.synth().getStackByName(config.stackName).template
    return { stack, warnings, ...createQueries(template) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function createQueries(template: Synthesized['template']): Omit<Synthesized, 'stack' | 'warnings'> {
  const all = (type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type)
  return {
    template,
    all,
    only(type) {
      const [entry, ...others] = all(type)
      if (entry === undefined || others.length > 0) {
        throw new Error(`The template has ${all(type).length} resources of type ${type} instead of one.`)
      }
      return entry[1]
    },
    lambda(name) {
      const entry = all('AWS::Lambda::Function').find(([id]) => id.startsWith(`${name}Function`))
      if (entry === undefined) throw new Error(`The template has no function ${name}.`)
      return { id: entry[0], properties: entry[1].Properties }
    },
  }
}

/** Writes one line of code instead of each bundle into a folder. Returns the folder of each function. */
export function writeBundles(folder: string): Record<FunctionName, string> {
  const names = Object.keys(functions) as FunctionName[]
  const folders = names.map(name => {
    const bundle = join(folder, name)
    mkdirSync(bundle, { recursive: true })
    writeFileSync(join(bundle, 'index.mjs'), `export const handler = () => '${name}'\n`)
    return [name, bundle]
  })
  return Object.fromEntries(folders)
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { readConfig } from '#lib/config'
import { Service } from '#lib/service'
import { type FunctionName, functions } from '#schemas/functions'

export type Resource = {
  Type: string
  // A template is plain JSON of many shapes; a test says which it expects.
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
  /** Resources of a type, by logical id. */
  all(type: string): [id: string, resource: Resource][]
  /** The only resource of a type. Throws when there are none or several. */
  only(type: string): Resource
  /** The function of a folder of lambdas/. */
  lambda(name: FunctionName): { id: string; properties: Resource['Properties'] }
}

/** The stack as `cdk synth -c …` makes it, with a line of code in the place of each bundle. */
export function synthesize(context: Record<string, unknown> = {}): Synthesized {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-synth-'))
  try {
    const config = readConfig(context)
    const app = new App({
      context: flags,
      outdir: join(folder, 'cdk.out'),
      // Three seconds a synthesis; `cdk synth`, which is a check of its own, does it.
      builtinCloudFormationValidation: false,
    })
    const stack = new Service(app, config.stackName, { config, folders: bundles(folder) })
    const template: Synthesized['template'] = app.synth().getStackByName(config.stackName).template
    return queries(stack, template)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function queries(stack: Service, template: Synthesized['template']): Synthesized {
  const all = (type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type)
  return {
    stack,
    template,
    all,
    only(type) {
      const [found, ...more] = all(type)
      if (found === undefined || more.length > 0) throw new Error(`${all(type).length} of ${type}`)
      return found[1]
    },
    lambda(name) {
      const found = all('AWS::Lambda::Function').find(([id]) => id.startsWith(`${name}Function`))
      if (found === undefined) throw new Error(`no function ${name}`)
      return { id: found[0], properties: found[1].Properties }
    },
  }
}

function bundles(folder: string): Record<FunctionName, string> {
  const names = Object.keys(functions) as FunctionName[]
  const made = names.map(name => {
    const bundle = join(folder, name)
    mkdirSync(bundle)
    writeFileSync(join(bundle, 'index.mjs'), `export const handler = () => '${name}'\n`)
    return [name, bundle]
  })
  return Object.fromEntries(made)
}

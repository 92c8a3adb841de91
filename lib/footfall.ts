import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Construct } from 'constructs'
import type * as z from 'zod'
import { type FunctionName, functions } from '#schemas/functions'
import { ConfigError, readConfig } from './config.ts'
import type { optionsSchema } from './options.ts'
import { Service } from './service.ts'
import { linkSharedAddon } from './shared-addon.ts'

/** The options of docs/aws.md, as text or typed. */
export type FootfallOptions = z.input<typeof optionsSchema>

export type FootfallProps = FootfallOptions & {
  /**
   * The folder that has the bundles of the functions in a folder for each architecture. Default: the one that
   * the package of `npm pack` brings.
   */
  functionsFolder?: string
}

/**
 * The whole service as one stack, for an app, a Stage or a pipeline of a team. Throws ConfigError, which
 * names every wrong option.
 *
 *     new Footfall(app, 'Analytics', { stackName: 'Analytics', alarmEmail: 'ops@example.com' })
 */
export class Footfall extends Service {
  constructor(
    scope: Construct,
    id: string,
    { functionsFolder = join(import.meta.dirname, 'functions'), ...options }: FootfallProps = {},
  ) {
    const config = readConfig(options)
    const folder = join(functionsFolder, config.architecture)
    const names = Object.keys(functions) as FunctionName[]
    if (!names.every(name => existsSync(join(folder, name, 'index.mjs'))))
      throw new ConfigError(
        `${folder} lacks functions. Pack the package for this processor: FOOTFALL_ARCHITECTURE=${config.architecture} npm pack.`,
      )
    linkSharedAddon(folder, config)
    const folders = Object.fromEntries(names.map(name => [name, join(folder, name)]))
    super(scope, id, { config, folders: folders as Record<FunctionName, string> })
  }
}

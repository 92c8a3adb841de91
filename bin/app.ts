import { fileURLToPath } from 'node:url'
import { App, Validations } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { AwsSolutionsChecks } from 'cdk-nag'
import { bundleFunctions } from '#lib/bundles'
import { ConfigError, readConfig } from '#lib/config'
import { Service } from '#lib/service'
import type { FunctionName } from '#schemas/functions'

/** What cdk.json runs: options from the context, bundles from lambdas/, the stack from both. */

const app = new App({
  // The library's present behaviour in everything; it changes with the library's version only. What CloudFormation would
  // refuse stops the synthesis.
  context: { ...flags, '@aws-cdk/core:strictCfnValidateErrors': true },
})
try {
  const config = readConfig(app.node.getAllContext())
  const { architecture, stackName } = config
  const folder = fileURLToPath(new URL(`../build/${architecture}`, import.meta.url))
  const bundles = await bundleFunctions(folder, { architecture })
  const folders = Object.fromEntries(
    Object.entries(bundles).map(([name, bundle]) => [name, bundle.folder]),
  ) as Record<FunctionName, string>
  new Service(app, stackName, { config, folders })
  // A finding that is not acknowledged with a reason stops the synthesis, and so the deployment.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  app.synth()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

import { fileURLToPath } from 'node:url'
import { App, Validations } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { AwsSolutionsChecks } from 'cdk-nag'
import { bundleFunctions } from '#lib/bundles'
import { ConfigError, readConfig } from '#lib/config'
import { Service } from '#lib/service'
import type { FunctionName } from '#schemas/functions'

/**
 * The program that cdk.json runs. It reads the options from the context, bundles lambdas/ and builds the
 * stack.
 */

const app = new App({
  // All recommended feature flags are on, so behaviour changes only with the version of the CDK. The strict
  // flag stops the synthesis for every template that CloudFormation would reject.
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
  // A finding that nobody accepted with a reason stops the synthesis, and so the deployment.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  app.synth()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

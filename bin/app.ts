import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Annotations, App, Validations } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { AwsSolutionsChecks } from 'cdk-nag'
import { findAccountProblems, findMismatches, withAccount } from '#lib/account-findings'
import { bundleFunctions } from '#lib/bundles'
import { ConfigError, readConfig, readOptions } from '#lib/config'
import { Footfall } from '#lib/footfall'
import { readAccount } from '#lib/read-account'
import { findRegionProblems } from '#lib/regions'
import { functionsWithDuckdb } from '#lib/shared-addon'

/**
 * The program that cdk.json runs. It reads the options from the context, compares them with the AWS account,
 * bundles lambdas/ and builds the stack.
 */

const app = new App({
  // All recommended feature flags are on, so behaviour changes only with the version of the CDK. The strict
  // flag stops the synthesis for every template that CloudFormation would reject.
  context: { ...flags, '@aws-cdk/core:strictCfnValidateErrors': true },
})
try {
  const context = app.node.getAllContext()
  const config = readConfig(context)
  const { architecture, stackName } = config
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env
  refuse(findMismatches(config, { account, region }))
  if (region !== undefined) refuse(findRegionProblems(config, region))
  const facts = await readAccount(stackName, { account, region })
  const { refusals, warnings } = facts ? findAccountProblems(config, facts) : { refusals: [], warnings: [] }
  refuse(refusals)
  const functionsFolder = fileURLToPath(new URL('../build', import.meta.url))
  await bundleFunctions(join(functionsFolder, architecture), {
    architecture,
    withDuckdb: functionsWithDuckdb(config),
  })
  const service = new Footfall(app, stackName, {
    ...withAccount(readOptions(context), facts),
    functionsFolder,
  })
  for (const warning of warnings) Annotations.of(service).addWarningV2('footfall:account', warning)
  // A finding that nobody accepted with a reason stops the synthesis, and so the deployment.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  app.synth()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function refuse(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new ConfigError(reasons.join('\n'))
}

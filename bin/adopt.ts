import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { findKept } from '#lib/find-kept'

// `npm run adopt -- --stack Footfall` writes what a deleted stack has kept into a file for
// `npx cdk import --resource-mapping` (docs/aws.md).

const { values: options } = parseArgs({
  options: {
    stack: { type: 'string', default: 'Footfall' },
    file: { type: 'string', default: 'adopt.json' },
  },
})
try {
  const { stackId, mapping } = await findKept(new CloudFormationClient(), options.stack)
  writeFileSync(options.file, `${JSON.stringify(mapping, null, 2)}\n`)
  console.log(`${options.file} has what ${stackId} has kept. Now run:`)
  console.log(`  npx cdk import --resource-mapping ${options.file} && npx cdk deploy`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CloudFrontClient,
  ListCachePoliciesCommand,
  ListFunctionsCommand,
  ListOriginRequestPoliciesCommand,
  ListResponseHeadersPoliciesCommand,
} from '@aws-sdk/client-cloudfront'
import { createCdk, REGION } from '#rehearsal/cdk'
import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'

const OTHER_REGION = 'eu-west-1'

/**
 * Deploys the stack once more, into another region of the same account. The emulator accepts a name twice
 * that AWS refuses, so the names are compared here. It also gives both stacks the same roles, whose names on
 * AWS end at random, so call this when the first stack has no more work to do.
 */
export async function secondRegion({ aws, gate, folder, stack }: World): Promise<string> {
  const before = await readGlobalNames(aws.cloudFront)
  const secondFolder = join(folder, OTHER_REGION)
  await mkdir(secondFolder)
  const cdk = createCdk(gate.endpoint, secondFolder, { region: OTHER_REGION })
  await cdk.bootstrap()
  const { outputs } = await cdk.deploy()
  const both = await readGlobalNames(aws.cloudFront)
  expectEqual(both.length, 2 * before.length, 'number of global names of two stacks')
  expectEqual(new Set(both).size, both.length, 'number of different global names of two stacks')
  expectEqual(
    before.every(name => name.includes(REGION)),
    true,
    'names with the region',
  )
  if (outputs.BucketName === stack.bucket) throw new Error('Both stacks have the same S3 bucket.')
  return both.filter(name => name.includes(OTHER_REGION)).join(', ')
}

/** Reads the names that are global in an account: those of CloudFront. */
async function readGlobalNames(client: CloudFrontClient): Promise<string[]> {
  const [cache, request, headers, functions] = await Promise.all([
    client.send(new ListCachePoliciesCommand({ Type: 'custom' })),
    client.send(new ListOriginRequestPoliciesCommand({ Type: 'custom' })),
    client.send(new ListResponseHeadersPoliciesCommand({ Type: 'custom' })),
    client.send(new ListFunctionsCommand({ Stage: 'LIVE' })),
  ])
  const names = [
    ...(cache.CachePolicyList?.Items ?? []).map(item => item.CachePolicy?.CachePolicyConfig?.Name),
    ...(request.OriginRequestPolicyList?.Items ?? []).map(
      item => item.OriginRequestPolicy?.OriginRequestPolicyConfig?.Name,
    ),
    ...(headers.ResponseHeadersPolicyList?.Items ?? []).map(
      item => item.ResponseHeadersPolicy?.ResponseHeadersPolicyConfig?.Name,
    ),
    ...(functions.FunctionList?.Items ?? []).map(({ Name }) => Name),
  ]
  return names.map(name => name ?? '')
}

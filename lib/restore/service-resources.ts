import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import { keptResources } from '#lib/kept-resources'

/** The deployed resources that a restoration or a promotion works with, by their names on AWS. */
export type ServiceResources = {
  bucket: string
  table: string
  /** Ids of the event source mappings that feed the lake consumer and the workers, in this order. */
  mappings: string[]
  scheduler: string
  restore: string
  jobQueue: string
  /** The secret with the key of the e-mail index. */
  emailKey: string
  /** The functions that callers can ask for something else than to take events. */
  callers: string[]
}

/** Logical ids, before the hash of the CDK. test/lib/restore.test.ts compares them with the template. */
const PATHS = {
  lakeMapping: 'lakeFromStream',
  jobsMapping: 'jobsFromQueue',
  scheduler: 'schedulerFunction',
  restore: 'restoreFunction',
  jobQueue: 'JobQueueJobsQueue',
} as const

/** Functions of lambdas/ that change what a promotion copies over. `track` writes to the stream alone. */
const CALLERS = ['reports', 'control', 'replay', 'auth', 'pages', 'mcp', 'stream', 'owner'] as const

/** Reads the resources of a stack. Throws if one is missing. */
export async function readServiceResources(
  client: CloudFormationClient,
  stackName: string,
): Promise<ServiceResources> {
  const ids = new Map<string, string>()
  for await (const page of paginateListStackResources({ client }, { StackName: stackName }))
    for (const { LogicalResourceId = '', PhysicalResourceId = '' } of page.StackResourceSummaries ?? [])
      ids.set(LogicalResourceId, PhysicalResourceId)
  const find = (isWanted: (id: string) => boolean, name: string) => {
    const [id] = [...ids.keys()].filter(isWanted)
    if (id === undefined)
      throw new Error(`The stack ${stackName} has no ${name}. Name the stack of the service.`)
    return ids.get(id) ?? ''
  }
  const byPath = (path: string) => find(id => new RegExp(`^${path}[0-9A-F]{8}$`).test(id), path)
  const kept = ({ logicalId }: { logicalId: string }) => find(id => id === logicalId, logicalId)
  return {
    bucket: kept(keptResources.lake),
    table: kept(keptResources.state),
    mappings: [byPath(PATHS.lakeMapping), byPath(PATHS.jobsMapping)],
    scheduler: byPath(PATHS.scheduler),
    restore: byPath(PATHS.restore),
    jobQueue: byPath(PATHS.jobQueue),
    emailKey: kept(keptResources.emailKey),
    callers: CALLERS.map(name => byPath(`${name}Function`)),
  }
}

import {
  type CloudFormationClient,
  paginateDescribeStackEvents,
  paginateListStacks,
  type StackSummary,
} from '@aws-sdk/client-cloudformation'
import { keptResources, type ResourceMapping, toResourceMapping } from './kept-resources.ts'

/** CloudFormation knows a deleted stack by its ARN only, and tells of it for 90 days. */
const DELETED = 'DELETE_COMPLETE'
/** The event of a resource that a deletion leaves in place. */
const KEPT = 'DELETE_SKIPPED'

/**
 * Finds what a deleted stack has kept, for `cdk import`. `stack` is the name of a stack, of which the last
 * deleted one counts, or an ARN. Throws if a stack of that name exists: its resources are in use, and
 * CloudFormation takes over only what is in no stack.
 */
export async function findKept(
  client: CloudFormationClient,
  stack: string,
): Promise<{ stackId: string; mapping: ResourceMapping }> {
  const { stackId, physicalIds } = await findKeptIds(client, stack)
  return { stackId, mapping: toResourceMapping(physicalIds) }
}

/**
 * Finds the names on AWS of what a deleted stack has kept, by logical ids. A deployment that failed has kept
 * only some. Throws if a stack of that name exists.
 */
export async function findKeptIds(
  client: CloudFormationClient,
  stack: string,
): Promise<{ stackId: string; physicalIds: ReadonlyMap<string, string> }> {
  const stackId = stack.startsWith('arn:') ? stack : await findDeleted(client, stack)
  const physicalIds = new Map<string, string>()
  // The newest events come first, and those of the deletion are the last that a stack has.
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName: stackId })) {
    for (const { ResourceStatus, LogicalResourceId = '', PhysicalResourceId = '' } of StackEvents)
      if (ResourceStatus === KEPT) physicalIds.set(LogicalResourceId, PhysicalResourceId)
    if (physicalIds.size >= Object.keys(keptResources).length) break
  }
  return { stackId, physicalIds }
}

async function findDeleted(client: CloudFormationClient, name: string): Promise<string> {
  let last: StackSummary | null = null
  // Pages come with the newest stack first.
  for await (const { StackSummaries = [] } of paginateListStacks({ client }, {}))
    for (const summary of StackSummaries.filter(({ StackName }) => StackName === name)) {
      if (summary.StackStatus !== DELETED)
        throw new Error(
          `The stack ${name} exists and uses its own data. Delete it first, or name the deleted stack by its ARN.`,
        )
      if ((summary.DeletionTime ?? 0) > (last?.DeletionTime ?? -1)) last = summary
    }
  if (last?.StackId === undefined)
    throw new Error(
      `No stack ${name} was deleted in the last 90 days. Write the file yourself (docs/aws.md).`,
    )
  return last.StackId
}

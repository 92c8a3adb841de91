import { CfnElement, type Resource } from 'aws-cdk-lib'

/**
 * The resources that outlive the stack, with what CloudFormation needs to take each into another stack. Their
 * logical ids are fixed here, so that no change of a construct's path can replace one by an empty one.
 */
export const keptResources = {
  lake: { logicalId: 'StorageLake72898626', type: 'AWS::S3::Bucket', identifier: 'BucketName' },
  state: { logicalId: 'StorageStateA15002BE', type: 'AWS::DynamoDB::Table', identifier: 'TableName' },
  emailKey: { logicalId: 'StorageEmailKey503F7526', type: 'AWS::SecretsManager::Secret', identifier: 'Id' },
  stream: { logicalId: 'StreamEventsDDC9B72B', type: 'AWS::Kinesis::Stream', identifier: 'Name' },
} as const

export type KeptResource = keyof typeof keptResources

/** Gives a kept resource its fixed logical id. */
export function pinLogicalId(resource: Resource, name: KeptResource): void {
  const element = resource.node.defaultChild
  if (!CfnElement.isCfnElement(element)) throw new Error(`${name} has no resource of CloudFormation`)
  element.overrideLogicalId(keptResources[name].logicalId)
}

/** The file of `cdk import --resource-mapping`: the identifier of each resource, by its logical id. */
export type ResourceMapping = Record<string, Record<string, string>>

/**
 * Makes the file for `cdk import` from the resources of a stack, deleted or not: logical ids and physical
 * ones. Throws if one is missing, because a service with only some of its data is worse than none.
 */
export function toResourceMapping(physicalIds: ReadonlyMap<string, string>): ResourceMapping {
  const missing = Object.values(keptResources).filter(({ logicalId }) => !physicalIds.has(logicalId))
  if (missing.length > 0)
    throw new Error(`The stack has no ${missing.map(({ type }) => type).join(', ')}. Name another stack.`)
  return Object.fromEntries(
    Object.values(keptResources).map(({ logicalId, identifier }) => [
      logicalId,
      { [identifier]: physicalIds.get(logicalId) ?? '' },
    ]),
  )
}

import { type CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation'

/** What is needed of a resource of a template. */
type TemplateResource = {
  Type: string
  Properties?: { TableInput?: { Parameters?: Record<string, unknown> } }
}

/**
 * The epochs whose hot files the catalog of a deployed stack knows, both included (the option firstEpoch).
 * Throws if the stack has no such table.
 */
export async function readCatalogEpochs(
  client: CloudFormationClient,
  StackName: string,
): Promise<{ first: number; last: number }> {
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }))
  const { Resources = {} } = JSON.parse(TemplateBody) as { Resources?: Record<string, TemplateResource> }
  for (const { Type, Properties } of Object.values(Resources)) {
    const range = Properties?.TableInput?.Parameters?.['projection.epoch.range']
    if (Type !== 'AWS::Glue::Table' || typeof range !== 'string') continue
    const [first = Number.NaN, last = Number.NaN] = range.split(',').map(Number)
    return { first, last }
  }
  throw new Error(`The stack ${StackName} has no catalog. Name the stack of the service.`)
}

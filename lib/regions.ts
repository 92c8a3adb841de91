import type { Config } from './config.ts'

/**
 * Regions of the partition `aws` that lack a resource type, from the schemas of CloudFormation for each
 * region in cfn-lint 1.58.0 of 2026-11. `npm run lint:template` compares the template with them.
 */
export const REGIONS_WITHOUT = {
  'AWS::Lambda::Url': [
    'ap-east-2',
    'ap-south-2',
    'ap-southeast-4',
    'ap-southeast-5',
    'ap-southeast-6',
    'ap-southeast-7',
    'ca-west-1',
    'eu-central-2',
    'il-central-1',
    'me-central-1',
    'mx-central-1',
  ],
  'AWS::Budgets::Budget': [
    'af-south-1',
    'ap-east-1',
    'ap-east-2',
    'ap-northeast-3',
    'ap-south-2',
    'ap-southeast-3',
    'ap-southeast-4',
    'ap-southeast-5',
    'ap-southeast-6',
    'ap-southeast-7',
    'ca-west-1',
    'eu-central-2',
    'eu-north-1',
    'eu-south-1',
    'eu-south-2',
    'il-central-1',
    'me-central-1',
    'mx-central-1',
  ],
} as const satisfies Record<string, readonly string[]>

const OTHER_PARTITION = /^(cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/

/**
 * Whether a region is outside the partition `aws`: in China, GovCloud, an isolated or the European sovereign
 * one.
 */
export function isOtherPartition(region: string): boolean {
  return OTHER_PARTITION.test(region)
}

type Options = Pick<Config, 'streams' | 'ingestion' | 'monthlyBudgetUsd' | 'keyArn'>

/** What of the options cannot be in a region, with the reason and what to do, as sentences. */
export function findRegionProblems(options: Options, region: string): string[] {
  if (isOtherPartition(region))
    return [
      `The region ${region} is not in the partition aws, and CloudFront and its certificates differ there or do not exist. Choose another region.`,
    ]
  const lacks = (type: keyof typeof REGIONS_WITHOUT) => REGIONS_WITHOUT[type].some(name => name === region)
  const wanted = [
    {
      type: 'AWS::Lambda::Url',
      isWanted: options.streams,
      advice: 'GET /stream needs it. Set streams=false: readers then poll GET /live.',
    },
    {
      type: 'AWS::Lambda::Url',
      isWanted: options.ingestion === 'function-url',
      advice: 'ingestion=function-url needs it. Leave that option out.',
    },
    {
      type: 'AWS::Budgets::Budget',
      isWanted: options.monthlyBudgetUsd !== undefined,
      advice:
        'monthlyBudgetUsd needs it. Leave that option out, and make a budget in the console, which has no region.',
    },
  ] as const
  const missing = wanted.flatMap(({ type, isWanted, advice }) =>
    isWanted && lacks(type) ? [`The region ${region} has no ${type}. ${advice}`] : [],
  )
  const keyRegion = options.keyArn?.split(':')[3] ?? region
  if (keyRegion === region) return missing
  return [
    ...missing,
    `The stack is in ${region}, and the key of keyArn in ${keyRegion}. Use a key in ${region}.`,
  ]
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOtherPartition, REGIONS_WITHOUT } from '#lib/regions'
import { synthesizeAnew } from '#test/lib/synthesized'
import { installCfnLint, lint, typesLackingByRegion, VERSION } from './cfn-lint.ts'

/** Options that have every type of resource which some option adds. */
const EVERYTHING = {
  alarmEmail: 'ops@example.com',
  monthlyBudgetUsd: 100,
  backupDays: 7,
  concurrency: 1_000,
  dashboard: true,
  ingestion: 'function-url',
  rollout: 'canary',
  silenceHours: 2,
  tracing: true,
}
/** What every region must have. */
const ANYWHERE = { ...EVERYTHING, ingestion: 'api', monthlyBudgetUsd: undefined, streams: false }

/**
 * Checks the template with cfn-lint: its resource types in all regions, and everything else in one region for
 * each of two sets of options, because a region takes a second or two. Exits with 1 if something is wrong.
 * Where PyPI cannot be had, it says so and passes.
 */
async function main(): Promise<void> {
  const reason = await installCfnLint()
  if (reason !== null) {
    console.log(`Skipped: cfn-lint ${VERSION} cannot be installed from PyPI. ${reason}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'footfall-template-'))
  try {
    const everything = synthesizeAnew(EVERYTHING).template
    const anywhere = synthesizeAnew(ANYWHERE).template
    const types = [everything, anywhere].flatMap(({ Resources }) =>
      Object.values(Resources).map(({ Type }) => Type),
    )
    const lacking = await typesLackingByRegion([...new Set(types)])
    const regions = Object.keys(lacking).filter(region => !isOtherPartition(region))
    const findings = await Promise.all([
      lint(write(folder, 'everything', everything), 'us-east-1'),
      lint(write(folder, 'anywhere', anywhere), 'eu-central-2'),
    ])
    const faults = [...regions.flatMap(region => faultsOfRegion(region, lacking)), ...findings.flat()]
    for (const fault of faults) console.error(fault)
    console.log(`cfn-lint ${VERSION}: ${regions.length} regions, ${faults.length} errors.`)
    process.exitCode = faults.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Where lib/regions.ts and cfn-lint say different things about a region. */
function faultsOfRegion(region: string, lacking: Record<string, string[]>): string[] {
  const found = lacking[region] ?? []
  const named = Object.entries(REGIONS_WITHOUT)
    .filter(([, regions]: [string, readonly string[]]) => regions.includes(region))
    .map(([type]) => type)
  return [
    ...found.filter(type => !named.includes(type)).map(type => `${region} lacks ${type}`),
    ...named.filter(type => !found.includes(type)).map(type => `${region} has ${type}`),
  ].map(text => `lib/regions.ts: ${text} in cfn-lint ${VERSION}.`)
}

function write(folder: string, name: string, template: object): string {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(template, null, 1))
  return file
}

await main()

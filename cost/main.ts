import { readFileSync, writeFileSync } from 'node:fs'
import { ArgumentError, type CostRequest, helpText, parseArguments } from './arguments.ts'
import { withTables } from './document.ts'
import { monthlyCost } from './model.ts'
import { costReport, linesReport, sensitivityReport } from './report.ts'
import { sensitivity } from './sensitivity.ts'

/** `npm run cost` prints the cost of a month on AWS. */

const DOCUMENTS = ['docs/cost.md', 'docs/scale.md']

function run({ usage, show, json }: CostRequest): string {
  if (show === 'help') return helpText()
  if (show === 'doc') {
    for (const path of DOCUMENTS) {
      const document = new URL(`../${path}`, import.meta.url)
      writeFileSync(document, withTables(readFileSync(document, 'utf8')))
    }
    return `Updated ${DOCUMENTS.join(' and ')}.`
  }
  if (json) {
    const result = show === 'sensitivity' ? { effects: sensitivity(usage) } : { cost: monthlyCost(usage) }
    return JSON.stringify({ usage, ...result }, null, 2)
  }
  return { services: costReport, lines: linesReport, sensitivity: sensitivityReport }[show](usage)
}

try {
  console.log(run(parseArguments(process.argv.slice(2))))
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

import { readFileSync, writeFileSync } from 'node:fs'
import { helpText, type Request, readArguments, WrongArguments } from './arguments.ts'
import { withTables } from './document.ts'
import { monthlyCost } from './model.ts'
import { costReport, linesReport, sensitivityReport } from './report.ts'
import { sensitivity } from './sensitivity.ts'

/** `npm run cost`: what a month on AWS costs. */

const DOCUMENT = new URL('../docs/cost.md', import.meta.url)

function answer({ usage, show, json }: Request): string {
  if (show === 'help') return helpText()
  if (show === 'doc') {
    writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')))
    return 'docs/cost.md is up to date'
  }
  if (json) {
    const answered = show === 'sensitivity' ? sensitivity(usage) : monthlyCost(usage)
    return JSON.stringify({ usage, [show === 'sensitivity' ? 'effects' : 'cost']: answered }, null, 2)
  }
  return { services: costReport, lines: linesReport, sensitivity: sensitivityReport }[show](usage)
}

try {
  console.log(answer(readArguments(process.argv.slice(2))))
} catch (error) {
  if (!(error instanceof WrongArguments)) throw error
  console.error(error.message)
  process.exitCode = 1
}

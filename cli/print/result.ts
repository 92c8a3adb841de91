import { CommandError, usage } from '#cli/errors'
import type { Globals, Output } from '#cli/run-context'
import type { Block } from './blocks.ts'
import { csvText, type Sheet, sheetsOf } from './csv.ts'
import { picked, safeJson } from './json.ts'
import { terminalText } from './terminal.ts'

/** The result in the form that the caller asked for. `text`: the raw response. */
export function resultText(
  blocks: readonly Block[],
  text: string,
  { json, csv, table, fields }: Globals,
  output: Output,
): string {
  if (json)
    return safeJson(
      fields === undefined ? text.trimEnd() : JSON.stringify(fieldsOf(JSON.parse(text), fields)),
    )
  if (csv) return csvText(withColumns(chosenSheet(blocks, table), fields))
  return terminalText(fields === undefined ? blocks : onlyColumns(blocks, fields), {
    width: output.width,
    hasColor: output.hasColor,
  })
}

/**
 * The result of a command that has already changed something. Such a command must not run twice to see its
 * answer, so options that do not fit the answer are ignored. `notice` names them; null: all options fit.
 */
export function wholeResultText(
  blocks: readonly Block[],
  text: string,
  globals: Globals,
  output: Output,
): { result: string; notice: string | null } {
  const { json, csv, table } = globals
  const forms: Globals[] = [globals, { json, csv, table }, { json }]
  let notice: string | null = null
  for (const form of forms) {
    try {
      return { result: resultText(blocks, text, form, output), notice }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      notice = `${error.problem.message} The command has done its work, so this is the whole answer.`
    }
  }
  throw new Error('A result without options is always printed')
}

function fieldsOf(value: unknown, fields: readonly string[]): unknown {
  const chosen = picked(value, fields)
  if (chosen !== null) return chosen
  const known = typeof value === 'object' && value !== null ? Object.keys(value) : []
  throw unknown('--fields', fields.join(','), known)
}

function chosenSheet(blocks: readonly Block[], name: string | undefined): Sheet {
  const sheets = sheetsOf(blocks)
  const sheet = name === undefined ? mainSheet(sheets) : sheets.find(each => each.name === name)
  if (sheet !== undefined) return sheet
  if (sheets.length > 0)
    throw unknown(
      '--table',
      String(name),
      sheets.map(each => each.name),
    )
  throw usage('This command prints no table.', 'Use --json.')
}

/** The first one; a summary of two periods comes before the table that a caller wants. */
function mainSheet(sheets: readonly Sheet[]): Sheet | undefined {
  return sheets.find(({ name }) => name !== 'summary' && name !== 'changes') ?? sheets[0]
}

function withColumns(sheet: Sheet, fields: readonly string[] | undefined): Sheet {
  if (fields === undefined) return sheet
  const known = sheet.columns.map(({ key }) => key)
  const missing = fields.filter(name => !known.includes(name))
  if (missing.length > 0) throw unknown('--fields', missing.join(','), known)
  return {
    ...sheet,
    columns: fields.map(name => sheet.columns.find(({ key }) => key === name) as Sheet['columns'][number]),
  }
}

/** Tables that have none of the columns are left out, and so is all else. */
function onlyColumns(blocks: readonly Block[], fields: readonly string[]): Block[] {
  const tables = blocks.flatMap(block => (block.kind === 'table' && !block.csvOnly ? [block] : []))
  const known = [...new Set(tables.flatMap(({ columns }) => columns.map(({ key }) => key)))]
  const missing = fields.filter(name => !known.includes(name))
  if (missing.length > 0) throw unknown('--fields', missing.join(','), known)
  return tables
    .map(block => ({
      ...block,
      columns: fields.flatMap(name => block.columns.filter(({ key }) => key === name)),
    }))
    .filter(({ columns }) => columns.length > 0)
}

function unknown(option: string, name: string, known: readonly string[]): CommandError {
  return usage(
    `${option} has nothing of the name ${name}.`,
    known.length === 0 ? 'Leave the option out.' : `Use ${option} with ${known.join(', ')}.`,
  )
}

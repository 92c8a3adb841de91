import { resolve } from 'node:path'
import { type Flag, type Input, NAME, type RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'
import { lakeFolderOf } from '#cli/http/base-url'
import { safeJson } from '#cli/print/json'
import type { Session } from '#cli/run-context'
import { hasDuckdb, runDuckdb } from '#cli/sql/duckdb-shell'
import { type LakeFiles, lakeScript } from '#cli/sql/lake-script'
import { escapedText } from '#core/text/clean-text'

const FLAGS: readonly Flag[] = [
  { flags: '--command <sql>', help: 'runs one statement, and prints its rows' },
  { flags: '--print', as: 'switch', help: 'prints what DuckDB would run, and opens nothing' },
  {
    flags: '--lake <folder>',
    help: 'the folder of the files (default: the lake of the service of this machine)',
  },
  { flags: '--dialect', as: 'switch', help: 'also runs the statements that reads return with sql=true' },
]

export const sqlShell: RunCommand = {
  name: 'sql',
  group: 'Tools',
  args: [NAME],
  flags: FLAGS,
  summary: "Opens DuckDB's own shell with the events of a project as the view events, or prints what to run",
  example: '--demo sql demo --print',
  async run(input: Input, session: Session) {
    const { options } = input
    const { files, projectId } = await filesOf(session, input.args.NAME as string)
    const known =
      options.lake === undefined
        ? lakeFolderOf(session.io.env, session.baseUrl())
        : resolve(String(options.lake))
    const folder = known ?? '.footfall/lake'
    const script = lakeScript(files, { folder, projectId, hasDialect: options.dialect === true })
    const wantsRows = options.command !== undefined
    if (
      options.print !== true &&
      known !== undefined &&
      (wantsRows || session.output.canAsk) &&
      hasDuckdb(session.io)
    ) {
      session.exitCode = wantsRows
        ? await runDuckdb(session.io, script, rowArgs(session, String(options.command)), cleanerOf(session))
        : await runDuckdb(session.io, script, [])
      return
    }
    if (wantsRows) throw noRows(known)
    if (session.globals.json) session.print([], JSON.stringify({ folder, script, files }))
    else session.io.stdout.write(script)
    if (options.print !== true) session.say(nextStep(known))
  },
}

function rowArgs({ globals }: Session, command: string): string[] {
  const format = globals.json ? ['-json'] : globals.csv ? ['-csv'] : []
  return [...format, '-c', command]
}

/**
 * Visitors choose the texts of events. A file or a pipe gets the same as the terminal, as with --csv
 * elsewhere.
 */
function cleanerOf({ globals }: Session): (text: string) => string {
  return globals.json ? safeJson : escapedText
}

/** A read of all events names their files. */
async function filesOf(
  { client }: Session,
  project: string,
): Promise<{ files: LakeFiles; projectId: string }> {
  const { answer: record } = await client({ endpoint: 'GET /projects/{id}', path: { id: project } })
  const { answer } = await client({
    endpoint: 'GET /breakdown',
    query: { project: record.id, property: 'path', since: '3650d', limit: 1, sql: true },
  })
  const { sql = [] } = answer as { sql?: readonly { tables: LakeFiles }[] }
  const tables = [...new Set(sql.flatMap(statement => Object.keys(statement.tables)))]
  const namesOf = (table: string) => [...new Set(sql.flatMap(statement => statement.tables[table] ?? []))]
  return { files: Object.fromEntries(tables.map(table => [table, namesOf(table)])), projectId: record.id }
}

function nextStep(folder: string | undefined): string {
  return folder === undefined
    ? 'The files of this service are not here. Run this on its machine, or name a copy of them with --lake.'
    : 'Run this in DuckDB: footfall sql opens it on a terminal where duckdb is on the PATH (https://duckdb.org).'
}

function noRows(folder: string | undefined): CommandError {
  return new CommandError({
    error: folder === undefined ? 'NO_LAKE' : 'NO_DUCKDB',
    message:
      folder === undefined
        ? 'The files of this service are not on this machine.'
        : 'There is no duckdb on the PATH.',
    suggested_action:
      folder === undefined
        ? 'Run it on the machine of the service, or name a copy of the files with --lake.'
        : 'Install the command line of DuckDB (https://duckdb.org), or use footfall query.',
  })
}

import { type ErrorCode, errorCodes } from '#schemas/errors'

/** Fields and parameters of the API, and the names that they have as arguments of a tool. */
export type Renames = Readonly<Record<string, string>>

/** Hints that name calls of tools. The other codes have the hints of the API. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'Call overview() for the projects, and overview(project) for what one has.',
  PROJECT_REQUIRED: 'Send the argument project. Call overview() for the projects.',
  PRO_REQUIRED: 'Ask the human to upgrade: the page /settings/billing of the service. Other reports work.',
  FORBIDDEN: 'The message says what this caller may not do. Ask the human.',
  EXPERIMENT_NOT_FOUND: 'Call query(project, report="experiments") for the experiments.',
  INVALID_PROPERTY_KEY: 'Call overview(project) for the property keys.',
  INVALID_FILTER_FIELD: 'Call overview(project) for the property keys.',
}

/** Messages of the API name endpoints. For a client of MCP they name these calls instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  'GET /projects': 'overview()',
  'GET /properties': 'overview(project)',
  'GET /experiments': 'query(project, report="experiments")',
  'GET /account/usage': '/settings/billing of the service',
  'GET /openapi.json': 'tools/list',
  'POST /query': 'query(report="metrics")',
  'PUT /project-context': 'manage(action="set_context")',
  'GET /project-context': 'the resource footfall://projects/{project}/context',
}

/** No tool lists portfolios: run-tool.ts adds their slugs to the message itself. */
const LIST_OF_PORTFOLIOS = ' GET /portfolios lists its portfolios.'

/** What a client of MCP should do after an error with this code. `requiredScope`: what the caller lacks. */
export function hintOf(code: ErrorCode, renames: Renames = {}, requiredScope?: string): string {
  if (code === 'FORBIDDEN' && requiredScope !== undefined)
    return `Ask the human to sign in to this server again, and to approve the scope ${requiredScope}.`
  return HINTS[code] ?? inToolWords(errorCodes[code].hint, renames)
}

/**
 * Rewrites a message of the API for a client of MCP: endpoints become calls of tools, and fields and
 * parameters become arguments.
 */
export function inToolWords(message: string, renames: Renames = {}): string {
  return message
    .replace(LIST_OF_PORTFOLIOS, '')
    .replace(/\b[A-Z]+ \/[\w./-]*\w(?![\w/{])/g, endpoint => INSTEAD[endpoint] ?? endpoint)
    .replace(/\b(?:Field|Parameter) (?=`)/g, 'Argument ')
    .replace(/`(\w+)`/g, (name, field: string) =>
      Object.hasOwn(renames, field) ? `\`${renames[field]}\`` : name,
    )
}

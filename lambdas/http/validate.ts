import type { z } from 'zod'
import { ApiError } from '#core/errors'
import { quoted } from '#core/text/clean-text'
import type { ErrorCode } from '#schemas/errors'

/**
 * Checks the fields of a query or a body. Throws for the first problem, with the code that the check of the
 * field names (`failsWith` of schemas/fields.ts), else MISSING_FIELDS. The message names the field.
 */
export function validate<T extends z.ZodType>(
  schema: T,
  input: Record<string, unknown>,
  code: ErrorCode = 'MISSING_FIELDS',
): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue === undefined) throw new ApiError(code)
  const params = 'params' in issue ? issue.params : undefined
  throw new ApiError((params?.code as ErrorCode | undefined) ?? code, messageOf(issue, input))
}

/** Our own messages are sentences with a full stop. Those of zod are not, and do not name the field. */
function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.message.endsWith('.')) return issue.message
  if (issue.code === 'unrecognized_keys') {
    return `Field ${quoted([...issue.path, issue.keys[0]].join('.'))} is unknown. Remove it.`
  }
  const field = issue.path.map(String).join('.')
  const value = issue.path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
  if (value === undefined) return `Field \`${field}\` is missing. Add it.`
  const rule = RULES[issue.code]?.(issue as never)
  if (rule !== undefined) return `Field \`${field}\` must ${rule}.`
  return `Field \`${field}\` is not valid. ${issue.message}. Correct it.`
}

const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

type IssueOf<Code> = Extract<z.core.$ZodIssue, { code: Code }>
type Rules = { [Code in z.core.$ZodIssue['code']]?: (issue: IssueOf<Code>) => string }

/** What a field must be, for schemas without a message of their own. The other kinds of issues are rare. */
const RULES: Rules = {
  invalid_type: ({ expected }) => `be ${KINDS[expected] ?? expected}`,
  too_small: ({ origin, minimum }) =>
    origin === 'string' ? `have at least ${minimum} characters` : `be at least ${minimum}`,
  too_big: ({ origin, maximum }) =>
    origin === 'string' ? `have at most ${maximum} characters` : `be at most ${maximum}`,
}

import type { z } from 'zod'
import { ApiError } from '#core/errors'
import type { ErrorCode } from '#schemas/errors'

/**
 * Checks the fields of a query or a body. The first problem is answered, with the code that the field's check names
 * (`failsWith` of schemas/fields.ts), else MISSING_FIELDS, and a message that names the field.
 */
export function validate<T extends z.ZodType>(schema: T, input: Record<string, unknown>): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue === undefined) throw new ApiError('MISSING_FIELDS')
  const params = 'params' in issue ? issue.params : undefined
  throw new ApiError((params?.code as ErrorCode | undefined) ?? 'MISSING_FIELDS', messageOf(issue, input))
}

function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  const field = issue.path.map(String).join('.')
  const own = issue.path[0] === undefined || issue.message.startsWith(String(issue.path[0]))
  if (own) return issue.message
  const value = issue.path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
  return value === undefined ? `${field} is required` : `${field}: ${issue.message}`
}

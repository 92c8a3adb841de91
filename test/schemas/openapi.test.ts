import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { errorCodes } from '#schemas/errors'
import { openApiDocument } from '#schemas/openapi'
import type { Route } from '#schemas/route'
import { derivedErrors, errorsOf, isDocumented, pathParameters, routes } from '#schemas/routes'

const document = JSON.parse(JSON.stringify(openApiDocument('https://a.example')))
const rows = Object.entries<Route>(routes).filter(([, route]) => isDocumented(route))

/** The text of the response that all operations share. */
const shared: string = document.components.responses.Errors.description

function operationOf(route: Route) {
  return document.paths[route.path][route.method.toLowerCase()]
}

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result).toEqual({ valid: true })
  expect(document.openapi).toMatch(/^3\.1\./)
})

test('the version of the interface is 1.0.0', () => {
  expect(document.info.version).toBe('1.0.0')
})

test('the document has the routes of the table and no others', () => {
  const operations = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.toSorted()).toEqual(rows.map(([, route]) => `${route.method} ${route.path}`).toSorted())
})

test('every tag has a description', () => {
  const descriptions = document.tags
    .filter((tag: { description: string }) => tag.description)
    .map((tag: { name: string }) => tag.name)
  expect(descriptions).toEqual(expect.arrayContaining(rows.map(([, route]) => route.tag)))
})

describe.each(rows)('%s', (name, route) => {
  const operation = operationOf(route)

  test('has its name, its responses and its caller', () => {
    expect(operation.operationId).toBe(name)
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(Object.keys(route.responses)))
    const security = operation.security ?? document.security
    expect(security.length > 0).toBe(route.auth === 'account')
    if (route.auth === 'account' && route.credentials === undefined) {
      expect(security).toEqual([{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }])
    }
  })

  test('lists the code of every error that is not said of all operations of its kind', () => {
    const { $ref, description = '' } = operation.responses.default
    expect($ref).toBe('#/components/responses/Errors')
    const listed = description.split(' ').filter(Boolean)
    const ofItsKind = derivedErrors.filter(({ of, follows }) => of !== null && follows(route))
    const codes = [...listed, ...ofItsKind.map(({ code }) => code)]
    expect(codes.toSorted()).toEqual(errorsOf(route).toSorted())
    for (const { code, of } of ofItsKind) expect(shared).toContain(`${code} (${of})`)
    for (const code of errorsOf(route))
      expect(shared).toMatch(new RegExp(`^${errorCodes[code].status} .*\\b${code}\\b`, 'm'))
  })

  test('describes every parameter', () => {
    const parameters = (operation.parameters ?? []).map(
      (parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`,
    )
    const options = route.method === 'GET' ? route.options : undefined
    const schemas = [route.query, options] as ({ shape?: object } | undefined)[]
    const fields = schemas.flatMap(schema => Object.keys(schema?.shape ?? {}))
    expect(parameters).toEqual([
      ...pathParameters(route.path).map(parameter => `path ${parameter}`),
      ...fields.map(field => `query ${field}`),
    ])
  })

  test('describes a body exactly when the row has one', () => {
    expect(operation.requestBody !== undefined).toBe(route.body !== undefined)
  })
})

type Field = { name: string; description?: string; schema?: { description?: string; default?: unknown } }

/** The parameters and the fields of the body of an operation. */
function fieldsOf(route: Route): Field[] {
  const { parameters = [], requestBody } = operationOf(route)
  const body = requestBody?.content['application/json'].schema.properties ?? {}
  return [...parameters, ...Object.entries(body).map(([name, schema]) => ({ name, schema }))]
}

const reads = rows.filter(([, { tag }]) => ['Analytics', 'Streaming', 'Bots'].includes(tag))

test.each(reads)('%s says what each of its parameters means', (_, route) => {
  const silent = fieldsOf(route).filter(({ description, schema }) => !(description ?? schema?.description))
  expect(silent.map(({ name }) => name)).toEqual([])
})

test.each(reads)('%s shows every default', (_, route) => {
  const schemas = [route.query, route.body, route.options] as (
    | { shape?: Record<string, z.ZodType> }
    | undefined
  )[]
  const defaults = schemas
    .flatMap(schema => Object.entries(schema?.shape ?? {}))
    .filter(([, field]) => field instanceof z.ZodDefault)
    .map(([name, field]) => [name, field.parse(undefined)])
  const shown = new Map<unknown, unknown>(fieldsOf(route).map(({ name, schema }) => [name, schema?.default]))
  expect(defaults.map(([name]) => [name, shown.get(name)])).toEqual(defaults)
})

test.each(reads.filter(([, { body }]) => body !== undefined))('%s has an example of its body', (_, route) => {
  expect(route.body?.safeParse(route.example).error).toBe(undefined)
  expect(operationOf(route).requestBody.content['application/json'].example).toEqual(route.example)
})

test('the options of a POST read are fields of its body', () => {
  expect(fieldsOf(routes.query).map(({ name }) => name)).toContain('dry_run')
})

test('a number with bounds is described with its bounds and its default', () => {
  const limit = operationOf(routes.events).parameters.find(
    (parameter: { name: string }) => parameter.name === 'limit',
  )
  expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
})

import type { Log } from '#core/ports'
import type { Route } from '#schemas/routes'
import { createChain, type Endpoint, type Exchange } from './chain.ts'
import { readBody } from './read-body.ts'
import { type FieldsOf, type RowResponse, toHttpResponse } from './row-handler.ts'
import { validateFields } from './validate-fields.ts'

/** The endpoints of rows that anybody may call: `chain(routes.health)(call => …)`. */
export function publicChain({ log }: { log: Log }) {
  const chain = createChain(log).step(readBody).step(validateFields)

  return <const R extends Route & { auth: 'none' }>(route: R) =>
    (handler: (call: Exchange & FieldsOf<R>) => RowResponse<R> | Promise<RowResponse<R>>): Endpoint =>
      // The steps have added what the row declares. The compiler cannot follow that for every row at once.
      chain.endpoint(route, async call =>
        toHttpResponse(await handler(call as unknown as Exchange & FieldsOf<R>)),
      )
}

import { lakeServices } from '#aws/services'
import { lakeHandler } from './handler.ts'

const { services, instrumented } = lakeServices(process.env)
export const handler = instrumented(lakeHandler(services))

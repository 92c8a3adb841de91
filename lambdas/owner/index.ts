import { ownerServices } from '#aws/services'
import { ownerHandler } from './handler.ts'

const { services, instrumented } = ownerServices(process.env)
export const handler = instrumented(ownerHandler(services))

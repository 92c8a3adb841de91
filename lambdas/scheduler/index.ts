import { schedulerServices } from '#aws/services'
import { schedulerHandler } from './handler.ts'

const { services, instrumented } = schedulerServices(process.env)
export const handler = instrumented(schedulerHandler(services))

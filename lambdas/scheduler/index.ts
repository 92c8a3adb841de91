import { schedulerServices } from '#aws/services'
import { schedulerHandler } from './handler.ts'

const { services, instrument } = schedulerServices(process.env)
export const handler = instrument(schedulerHandler(services))

import { createSchedulerServices } from '#aws/scheduler-services'
import { schedulerHandler } from './handler.ts'

const { services, instrument } = createSchedulerServices(process.env)
export const handler = instrument(schedulerHandler(services))

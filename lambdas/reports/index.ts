import { reportsServices } from '#aws/services'
import { apiGateway, lateAnswer } from '../api-gateway.ts'
import { reportsHandler } from './handler.ts'

const { services, instrumented } = reportsServices(process.env)
export const handler = instrumented(
  apiGateway(reportsHandler(services), services.log),
  lateAnswer(services.log),
)

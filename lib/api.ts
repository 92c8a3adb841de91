import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  type ThrottleSettings,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS } from '#schemas/cors'
import { type Route, routeKeys, routes } from '#schemas/routes'
import { acknowledge } from './acknowledge.ts'
import type { Config } from './config.ts'
import type { ServiceFunction } from './function.ts'

export type ApiProps = {
  config: Config
  /** Records that the stream takes in a second; null where nobody knows. */
  streamRecordsPerSecond: number | null
}

/**
 * Requests that are let through for each record that the stream takes. Well above one: what the stream refuses is then
 * answered by track, with an error of ours and Retry-After. The gateway's own 429 has neither.
 */
const REQUESTS_A_RECORD = 2
/** Requests a second and at once that AWS lets an account make: a throttle of ours above them would say nothing. */
const ACCOUNT_RATE = 10_000
const ACCOUNT_BURST = 5_000

/**
 * What a request leaves in the log: which row, how it ended and how long it took. Neither address nor user agent, no path,
 * which may hold ids, nor its query string, which may hold a key, and no free text.
 */
const LOGGED = {
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  bytes: '$context.responseLength',
  functionStatus: '$context.integrationStatus',
  error: '$context.error.responseType',
}

/** The HTTP API. It is made before the functions, which are told its address by way of CloudFront; `route` joins them. */
export class Api extends Construct {
  readonly http: HttpApi
  /** Host name of the API itself. */
  readonly host: string
  /** A line a request. */
  readonly log: LogGroup

  constructor(scope: Construct, id: string, { config, streamRecordsPerSecond }: ApiProps) {
    super(scope, id)
    this.http = new HttpApi(this, 'Http', {
      apiName: config.stackName,
      description: 'Footfall',
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: [CORS.origin],
        allowMethods: CORS.methods.map(method => CorsHttpMethod[method]),
        allowHeaders: [...CORS.headers],
        maxAge: Duration.seconds(CORS.maxAgeSeconds),
      },
    })
    const { region, urlSuffix } = Stack.of(this)
    this.host = `${this.http.apiId}.execute-api.${region}.${urlSuffix}`
    this.log = accessLog(this, config)
    const throttle = throttleOf(config, streamRecordsPerSecond)
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      ...(throttle && { throttle }),
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.log),
        format: AccessLogFormat.custom(JSON.stringify(LOGGED)),
      },
    })
  }

  /** Joins each row of the routes table to its function, and every other path to site. */
  route(functions: Record<Route['function'], ServiceFunction>): void {
    const integrations = Object.fromEntries(
      Object.entries(functions).map(([name, { lambda }]) => [name, this.integration(name, lambda)]),
    ) as Record<Route['function'], HttpLambdaIntegration>
    for (const route of Object.values<Route>(routes)) {
      for (const key of routeKeys(route)) this.add(key, keyOf(key), integrations[route.function])
    }
    // There it is told apart what is unknown and what takes other methods.
    this.add('$default', HttpRouteKey.DEFAULT, integrations.site)
    // A route is called as <api>/<stage>/<method>/<path>, this one as <api>/<stage>/$default: the wildcards below want more.
    functions.site.lambda.addPermission('NoRoute', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        resource: this.http.apiId,
        resourceName: '*/$default',
      }),
    })
  }

  private integration(name: string, lambda: ServiceFunction['lambda']): HttpLambdaIntegration {
    // One permission a function, for this API: one a route would fill the stack and the function's policy.
    return new HttpLambdaIntegration(`To-${name}`, lambda, { scopePermissionToRoute: false })
  }

  private add(key: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void {
    const id = `Route ${key.replaceAll('/', '.')}`
    const authorizer = new HttpNoneAuthorizer()
    const route = new HttpRoute(this, id, { httpApi: this.http, routeKey, integration, authorizer })
    acknowledge(route, {
      'AwsSolutions-APIG4':
        'The functions check credentials themselves, as they do on one machine, by the row of schemas/routes.ts (lambdas/chain.ts): an authorizer here would be a second list of who may call what.',
    })
  }
}

/** What the deployer says, else what follows from the stream; undefined where only the account's own limits hold. */
function throttleOf({ requestsPerSecond }: Config, records: number | null): ThrottleSettings | undefined {
  const rateLimit = requestsPerSecond ?? (records ?? Number.POSITIVE_INFINITY) * REQUESTS_A_RECORD
  if (requestsPerSecond === undefined && rateLimit >= ACCOUNT_RATE) return undefined
  return { rateLimit, burstLimit: Math.min(rateLimit, ACCOUNT_BURST) }
}

/** Of `GET /projects/{id}`. */
function keyOf(key: string): HttpRouteKey {
  const [method, path] = key.split(' ') as [keyof typeof HttpMethod, string]
  return HttpRouteKey.with(path, HttpMethod[method])
}

/** Under /aws/vendedlogs/, where deliveries need no entry of their own in the account's one log policy, which is small. */
function accessLog(scope: Construct, { stackName, logRetentionDays }: Config): LogGroup {
  return new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/vendedlogs/${stackName}/api`,
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  })
}

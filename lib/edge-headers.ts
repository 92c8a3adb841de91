import { Duration } from 'aws-cdk-lib'
import { HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront'
import type { Construct } from 'constructs'
import { CORS } from '#schemas/cors'

/**
 * The headers that CloudFront adds to every response. An HTTP API adds CORS headers only where the request
 * has an Origin, and drops those of the functions. A cached response and an error of CloudFront itself would
 * have none, so browsers on other sites could not read the experiments of a project. CORS headers and the
 * referrer policy of a response itself win.
 */
export function createHeadersPolicy(scope: Construct, name: string): ResponseHeadersPolicy {
  return new ResponseHeadersPolicy(scope, 'Headers', {
    responseHeadersPolicyName: name,
    comment: 'CORS without credentials, and only HTTPS',
    corsBehavior: {
      accessControlAllowOrigins: [CORS.origin],
      accessControlAllowMethods: [...CORS.methods],
      accessControlAllowHeaders: [...CORS.headers],
      accessControlAllowCredentials: false,
      accessControlMaxAge: Duration.seconds(CORS.maxAgeSeconds),
      originOverride: false,
    },
    securityHeadersBehavior: {
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: {
        referrerPolicy: HeadersReferrerPolicy.STRICT_ORIGIN_WHEN_CROSS_ORIGIN,
        override: false,
      },
    },
  })
}

/** What the rehearsal cannot test. docs/aws.md has a checklist for a first deployment on AWS. */
export const KNOWN_GAPS = [
  "Rights of AWS's own services (Athena, CloudFront, event source mappings, alarms). The emulator evaluates only the roles of the functions, with its own version of IAM. It does not evaluate rights for Athena, Glue and query results: Trino reads with all rights.",
  'Permissions to call a function. The emulator calls functions without checking their policies.',
  'arm64. Functions run on the processor of this machine, from the same sources and with the same settings.',
  'Limits: memory of functions, responses of 6 MB, throttling of the API, the queue and quotas of Athena. Our proxy plays the executions of a small account, but only for requests of the API, and the emulator of Athena refuses starts.',
  'Names that AWS refuses to a second stack. They are compared, because the emulator accepts a name twice.',
  "Lambda's Kinesis poller and its cold starts. Our own poller replaces it, with the settings of the deployed mapping.",
  'Kinesis resharding, retention and on-demand scaling. A proxy adds throttling and lost responses.',
  'The CORS part of the response headers policy: our proxy adds the header. What API Gateway does to headers is played by rehearsal/gate.ts, as Amazon documents it.',
  'CloudFront caching, TLS, HTTP/2 and HTTP/3, WAF and custom domains. A proxy adds the country of the viewer.',
  'CORS settings, the origin of CloudFront, and the names of secrets in policies. rehearsal/corrections.ts corrects them after each deployment.',
  'Athena. Trino 476 replaces engine version 3, without limits on scanned bytes and without reuse of results.',
  'Effects after days: merges of large segments (npm test covers them), and expiry in the state table and the S3 bucket.',
  'GET /stream: the function URL, the function at the edge and streamed responses. test/lambdas/ and test/bundles/ test the function, and test/lib/ the template.',
  "Earlier moments of the table: the emulator's point-in-time recovery copies the table as it is.",
  'The import of the stream and of the secret into a new stack: rehearsal/ministack-program.ts adds it to the emulator.',
  'Alarms, dashboards, traces, budgets, encryption and backups. They are created, but nothing tests them.',
]

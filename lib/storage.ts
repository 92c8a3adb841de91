import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import { REPLAY_LIMITS, REPLAY_PREFIX } from '#schemas/replays'
import { acceptFindings } from './accept-findings.ts'
import { TableBackup } from './backup.ts'
import type { Config } from './config.ts'
import { keptResources, pinLogicalId } from './kept-resources.ts'

/** Where Lambda puts the batches that it gave up. Lambda chooses this prefix. */
export const FAILURES_PREFIX = 'aws/lambda/'
/** Records that could not be read (core/lake/model/keys.ts). */
export const QUARANTINE_PREFIX = 'quarantine/'
/** Records of a newer version, until it appends them again (core/lake/consume/set-aside.ts). */
export const WAITING_PREFIX = 'waiting/'

/**
 * How long quarantined records and failed batches stay. They hold events that an erasure cannot find, so they
 * do not stay long.
 */
const SET_ASIDE_RETENTION = Duration.days(30)

/**
 * The S3 bucket of the lake and the state table. Both stay when the stack is deleted, another stack can take
 * them over, and both can be restored to a moment of the last days (docs/aws.md). When a first deployment
 * fails, its rollback deletes the empty S3 bucket but keeps the table: deletion protection of the table would
 * make the rollback fail.
 */
export class Storage extends Construct {
  readonly bucket: Bucket
  readonly table: Table
  /** The key of the e-mail index (core/ingest/email-hash.ts). */
  readonly emailKey: Secret

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id)
    this.bucket = createLakeBucket(this, config)
    this.table = createStateTable(this)
    if (config.backupDays !== undefined) new TableBackup(this, 'Backup', this.table, config)
    this.emailKey = createEmailKey(this)
    pinLogicalId(this.bucket, 'lake')
    pinLogicalId(this.table, 'state')
    pinLogicalId(this.emailKey, 'emailKey')
  }
}

/**
 * The S3 bucket of the lake. It is encrypted with keys of S3: a KMS key costs $1 a month and a request for
 * each object, and protects no better than the bucket's policy. It is versioned, and no function may delete a
 * version, so neither a bug nor a stolen role can destroy events: replaced and deleted objects stay for days.
 */
function createLakeBucket(
  scope: Construct,
  { stackName, replicaBucketArn, accessLogBucketArn }: Config,
): Bucket {
  const bucket = new Bucket(scope, 'Lake', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    versioned: true,
    lifecycleRules: lifecycleRules(),
    ...(accessLogBucketArn !== undefined && {
      serverAccessLogsBucket: Bucket.fromBucketArn(scope, 'AccessLogs', accessLogBucketArn),
      serverAccessLogsPrefix: `${stackName}/`,
    }),
    ...(replicaBucketArn !== undefined && {
      replicationRules: [
        {
          id: 'copies',
          priority: 0,
          destination: Bucket.fromBucketArn(scope, 'Replica', replicaBucketArn),
          // What the service deletes is deleted there too, so that erased events do not stay.
          deleteMarkerReplication: true,
        },
      ],
    }),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  acceptFindings(bucket, {
    ...(accessLogBucketArn === undefined && {
      'AwsSolutions-S1':
        'Access logs write one line for each request of an object, so they are an option (accessLogBucketArn). Only the functions of this stack read and write here.',
    }),
    ...(replicaBucketArn !== undefined && {
      [`AwsSolutions-IAM5[Resource::<${keptResources.lake.logicalId}.Arn>/*]`]: EVERY_FILE,
      [`AwsSolutions-IAM5[Resource::${replicaBucketArn}/*]`]: EVERY_FILE,
    }),
  })
  return bucket
}

const EVERY_FILE = 'The copy has every file of the bucket. Only S3 itself can take this role.'

function lifecycleRules(): LifecycleRule[] {
  return [
    {
      id: 'unfinished-uploads',
      abortIncompleteMultipartUploadAfter: Duration.days(2),
    },
    // A deleted or replaced object can be restored for two weeks. After that, the data of an erased user is
    // gone too.
    {
      id: 'old-versions',
      noncurrentVersionExpiration: Duration.days(14),
      expiredObjectDeleteMarker: true,
    },
    // The service deletes every hot file a day after its rows are in segments. One more day is enough to get
    // it back. Identify requests, links and traits are replaced every few minutes, and have ids and traits.
    ...[tables.events_hot, tables.identity_hot, tables.links, tables.user_traits].map(({ prefix }) => ({
      id: `old-versions-${prefix}`,
      prefix: `${prefix}/`,
      noncurrentVersionExpiration: Duration.days(1),
    })),
    {
      id: 'replays',
      prefix: REPLAY_PREFIX,
      // A day more than the items, so that no replay is listed without its chunks.
      expiration: Duration.days(REPLAY_LIMITS.retention_days + 1),
      noncurrentVersionExpiration: Duration.days(1),
    },
    ...[QUARANTINE_PREFIX, WAITING_PREFIX, FAILURES_PREFIX].map(prefix => ({
      id: prefix.replaceAll('/', '-').slice(0, -1),
      prefix,
      expiration: SET_ASIDE_RETENTION,
    })),
  ]
}

/**
 * The key is made once and never rotated: with another key no e-mail address that is in the index is found.
 */
function createEmailKey(scope: Construct): Secret {
  const secret = new Secret(scope, 'EmailKey', {
    description: 'Key of the index of e-mail addresses',
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  acceptFindings(secret, {
    'AwsSolutions-SMG4':
      'The index holds hashes under this key. With a new key no address would be found again.',
  })
  return secret
}

/**
 * The state table. It uses DynamoDB's free default encryption: a KMS key costs a fee and protects no better
 * here.
 */
function createStateTable(scope: Construct): Table {
  return new Table(scope, 'State', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: 'expires_at',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  })
}

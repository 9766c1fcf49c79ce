/** A process that checks a site until it is killed; its connection is the argument. */
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { createClient } from '../../../src/wordpress/client/client.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'

const connection = JSON.parse(process.argv[2] as string)
const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/0.0.0' })
await runChecks(createClient(connection, outbound))

export { createSiteTraffic, type SiteTraffic, type SiteTrafficOptions } from './site-traffic.ts'

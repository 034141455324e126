// Reads a calendar with two parsers of others and prints what each found as JSON:
// node read.mjs <folder with node_modules> <calendar>
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, path] = process.argv.slice(2)
const require = createRequire(join(resolve(folder), 'package.json'))
const { default: ICAL } = await import(pathToFileURL(require.resolve('ical.js')).href)
const nodeIcal = require('node-ical')
const text = readFileSync(path, 'utf8')
const day = (year, month, date) => [year, month, date].map((n) => String(n).padStart(2, '0')).join('-')

function readIcalJS() {
  const calendar = new ICAL.Component(ICAL.parse(text))
  return {
    refresh: calendar.getFirstPropertyValue('refresh-interval').toString(),
    source: calendar.getFirstPropertyValue('source'),
    events: calendar.getAllSubcomponents('vevent').map((component) => {
      const event = new ICAL.Event(component)
      const { year, month, day: date, isDate } = event.startDate
      return {
        uid: event.uid,
        day: isDate ? day(year, month, date) : 'not all day',
        days: event.duration.toSeconds() / 86400,
        summary: event.summary,
        description: event.description,
        url: component.getFirstPropertyValue('url'),
        categories: component.getFirstProperty('categories').getValues(),
        stamp: component.getFirstPropertyValue('dtstamp').toJSDate(),
        free: component.getFirstPropertyValue('transp') === 'TRANSPARENT',
      }
    }),
  }
}

function readNodeIcal() {
  const found = nodeIcal.sync.parseICS(text)
  return {
    name: found.vcalendar['WR-CALNAME'],
    events: Object.values(found).filter((c) => c.type === 'VEVENT').map((c) => ({
      uid: c.uid,
      day: c.datetype === 'date' ? day(c.start.getFullYear(), c.start.getMonth() + 1, c.start.getDate()) : 'not all day',
      days: Math.round((c.end - c.start) / 86400000),
      summary: c.summary,
      description: c.description,
      url: c.url,
      categories: c.categories,
      stamp: c.dtstamp,
      free: c.transparency === 'TRANSPARENT',
    })),
  }
}

console.log(JSON.stringify([readIcalJS(), readNodeIcal()]))

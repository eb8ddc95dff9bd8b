// Package report renders stored runs and experiments for people and for other tools: text,
// HTML, Markdown, JSON, CSV and JUnit. Every number stands beside the warnings that it
// needs, and whatever a server or a scenario said is escaped.
//
// What a page says is put together once, as a document of sections, tables and figures in
// plain text; HTML and Markdown render that. Nothing but OfRun reads anything, and all is
// cut to a size that can be sent.
package report

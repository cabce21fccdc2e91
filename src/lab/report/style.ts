import { chartCss, colourCss } from './figures/palette.ts';

/** All styles of the page: light and dark by the reader's choice, print on white. */
export const pageCss = `${colourCss}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/24px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;\
font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
.page{max-width:1152px;margin:0 auto;padding:56px 24px 96px}
h1,h2,h3,p,ul,dl,dd,figure{margin:0;padding:0}
h1{font-size:32px;line-height:40px;font-weight:600;letter-spacing:-.02em;max-width:24em;text-wrap:balance}
h2{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em;margin:72px 0 16px;padding-top:16px;border-top:1px solid var(--hairline)}
h3{font-size:15px;line-height:24px;font-weight:600;margin:32px 0 4px}
p{max-width:72ch}
h1,h2,h3,p,li,dt,dd,figcaption,caption{overflow-wrap:anywhere;min-width:0}
p+p{margin-top:12px}
.subtitle,.aside{color:var(--muted);font-size:13px;line-height:20px;max-width:96ch}
.subtitle{margin:8px 0 32px}
.aside{margin-top:12px}
.answer{font-size:20px;line-height:32px;max-width:60ch;margin:24px 0;padding-left:20px;border-left:3px solid var(--accent);text-wrap:pretty}
.notice{padding:0 0 0 20px;border-left:3px solid var(--hairline);margin:0 0 24px;font-size:14px;color:var(--muted)}
.notice.bad{border-color:var(--bad);color:inherit}
.notice.bad p{font-weight:600;color:var(--bad)}
.notice ul,.list ul{padding-left:18px}
nav{margin:32px 0 0}
nav ul{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;font-size:13px;line-height:24px}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto;margin:16px 0 0}
table{border-collapse:collapse;font-size:13px;line-height:20px;min-width:100%}
caption{text-align:left;font-weight:600;padding:0 0 8px;caption-side:top}
th,td{padding:6px 0 6px 20px;text-align:left;vertical-align:top;font-weight:400;white-space:nowrap}
thead th:first-child,tbody th{padding-left:0}
thead th{color:var(--muted);font-size:12px;line-height:16px;vertical-align:bottom;border-bottom:1px solid var(--ink);white-space:normal}
tbody tr{border-bottom:1px solid var(--hairline)}
tbody tr.inner{border-bottom-color:transparent}
.long{max-width:32ch;min-width:16ch;white-space:normal;overflow-wrap:anywhere}
td small{font-size:12px;color:var(--muted)}
.number{text-align:right}
.dot{display:inline-block;width:10px;height:10px;margin-right:8px;overflow:visible}
.dot circle{stroke-width:2}
.hollow{fill:none}
figure{margin:40px 0 0}
figcaption::first-letter{text-transform:uppercase}
figcaption{font-weight:600;font-size:13px;line-height:20px}
.legend{display:flex;flex-wrap:wrap;gap:0 20px;list-style:none;font-size:13px;line-height:24px;margin:4px 0 12px;padding:0}
.legend li{max-width:100%}
.legend svg{width:16px;height:10px;margin-right:8px}
.panels{display:grid;gap:24px 24px}
.panels.wide{grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr))}
.panels.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,256px),1fr))}
.panel p{font-size:13px;line-height:20px;color:var(--ink)}
.panel svg{display:block;width:100%;height:auto}
.panels.wide svg{max-width:640px}
.panels.small svg{max-width:340px}
.parts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:0 48px}
.part{min-width:0}
details{margin:12px 0 0;font-size:13px}
summary{color:var(--muted);cursor:pointer;width:fit-content}
.facts{display:grid;grid-template-columns:minmax(88px,max-content) 1fr;gap:4px 24px;font-size:14px}
.facts dt{color:var(--muted)}
.list{margin-top:8px;font-size:14px;display:grid;grid-template-columns:72px 1fr}
.list p{color:var(--muted)}
pre{margin:8px 0 0;padding:12px 0;overflow-x:auto;font:13px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;border-top:1px solid var(--hairline);border-bottom:1px solid var(--hairline)}
${chartCss}
@media (max-width:600px){
.page{padding:32px 16px 64px}
h1{font-size:26px;line-height:32px}
h2{margin-top:56px}
.answer{font-size:18px;line-height:28px;padding-left:16px}
.panels.wide svg text{font-size:17px}
.panels.small svg text{font-size:9px}
thead th:first-child,tbody tr>th:first-child{position:sticky;left:0;background:var(--page);z-index:1}
}
@media print{
@page{size:A4;margin:16mm 14mm}
body{font-size:10pt;line-height:15pt}
.page{max-width:none;padding:0}
nav,details{display:none}
h1{font-size:20pt;line-height:26pt}
h2{font-size:13pt;margin-top:28pt;break-after:avoid}
h3{break-after:avoid;font-size:10pt;margin-top:14pt}
.answer{font-size:12pt;line-height:18pt}
.aside,.subtitle,.notice,.list,.facts{font-size:8.5pt;line-height:12pt}
.scroll{overflow:visible}
table,td small{font-size:7pt;line-height:10pt}
thead th{font-size:7pt;line-height:9pt}
th,td{padding:2.5pt 0 2.5pt 6pt}
.panels.small svg text{font-size:12px}
.panels.wide svg text{font-size:16px}
figcaption,.legend,.panel p{font-size:8.5pt;line-height:13pt}
figure{margin-top:16pt}
figcaption,.legend{break-after:avoid}
tr,.panel,.part,.list{break-inside:avoid}
thead{display:table-header-group}
.panels.wide{grid-template-columns:1fr 1fr}
.panels.small{grid-template-columns:repeat(3,1fr)}
.dot{width:6pt;height:6pt;margin-right:4pt}
}`;

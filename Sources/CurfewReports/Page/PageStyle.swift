/// The style sheet of every page: light or dark as the reader prefers, for screens from 320 pixels
/// wide, and for paper.
///
/// The colours are those of Okabe and Ito, darkened or lightened to a contrast of at least 3:1 with
/// the page; text has at least 4.5:1.
enum PageStyle {
  static let sheet: StaticString = """

    :root{color-scheme:light dark;--paper:#fff;--ink:#1b1e22;--soft:#59616b;--line:#dfe3e7;--rule:#b9c0c8;--wash:#f5f6f8;
    --c0:#0068a8;--c1:#c04f00;--c2:#007a59;--c3:#9b4a80;--c4:#806000;--c5:#4d5966;
    --strong:#0068a8;--middle:#3f93c6;--warm:#cc7a00;--quiet:#87919c;--grave:#b3261e}
    @media screen and (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e9ecef;--soft:#a3adb7;--line:#2b3036;--rule:#4a525b;
    --wash:#1d2125;
    --c0:#5db4ee;--c1:#f29149;--c2:#35c79a;--c3:#dd9ac3;--c4:#d9bd4a;--c5:#a9b4bf;
    --strong:#5db4ee;--middle:#2f7fb5;--warm:#f0a53a;--quiet:#6b757f;--grave:#ff8a80}}
    *{box-sizing:border-box}
    html{background:var(--paper);color:var(--ink);
    font:1rem/1.55 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
    font-variant-ligatures:no-contextual;-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;padding:3.5rem clamp(1rem,5vw,4rem) 4rem}
    main,footer{max-width:68rem;margin:0 auto}
    h1,h2,h3,p,dd,li,summary,caption,.label{overflow-wrap:anywhere}td,th{overflow-wrap:break-word}
    h1{margin:0 0 .75rem;font-size:1rem;font-weight:600;color:var(--soft)}
    .lead{margin:0;max-width:32em;font-size:clamp(1.3rem,.95rem + 1.8vw,2rem);font-weight:600;line-height:1.28;letter-spacing:-.012em;
    text-wrap:pretty}
    .subtitle{margin:1rem 0 0;color:var(--soft)}
    section{margin-top:4rem}
    h2{margin:0 0 .5rem;font-size:1.35rem;line-height:1.3;letter-spacing:-.01em}
    h3{margin:0;font-size:1rem;line-height:1.4}
    p,ol,ul{max-width:44rem}
    p{margin:.4rem 0 0;text-wrap:pretty}
    .note,figcaption p,.axis-name{color:var(--soft);font-size:.875rem;line-height:1.5}
    figure{margin:1.75rem 0 0}
    figcaption p{margin-top:.1rem}
    figure+figure,.scroll+figure,figure+.scroll,.scroll+.scroll,.note+.scroll,.note+figure{margin-top:3rem}
    svg{display:block;overflow:visible}
    text{fill:var(--ink);font-size:12px}
    .tick{fill:var(--soft);font-variant-numeric:tabular-nums}
    .grid{stroke:var(--line)}
    .base{stroke:var(--rule)}
    .reference{stroke:var(--ink)}
    .c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}
    .curve{fill:none;stroke:var(--c);stroke-width:2}
    .band{fill:var(--c);opacity:.13}
    .whisker{fill:none;stroke:var(--c);stroke-width:1.5}
    .point{fill:var(--c);stroke:var(--paper);stroke-width:1.5}
    .dense .point{transform:scale(.55)}
    .open{--c:var(--soft)}
    .open .point{fill:var(--paper);stroke:var(--soft);stroke-width:2}
    .direct{fill:var(--c);font-weight:600;unicode-bidi:plaintext}
    rect.bar{fill:var(--c)}
    .mark:hover{filter:brightness(1.15)}
    .legend{display:flex;flex-wrap:wrap;gap:.3rem 1.25rem;margin:1rem 0 0;padding:0;list-style:none;font-size:.875rem;color:var(--soft);
    max-width:none}
    .legend li{display:flex;align-items:center;gap:.5rem;min-width:0}
    .legend svg{flex:none}
    .legend.narrow{display:none}
    .plot{margin-top:1rem;padding:0 var(--right) 0 var(--left)}
    .axis-name{margin:0;max-width:none}
    .plot .above{margin:0 0 .6rem calc(-1*var(--left))}
    .plot .below{text-align:center}
    .rows{display:grid;grid-template-columns:fit-content(17rem) minmax(0,1fr) fit-content(16rem);column-gap:1.1rem;margin-top:1rem}
    .row{display:contents}
    .row>*{min-width:0}
    .label{align-self:center;text-align:right;font-size:.875rem;line-height:1.25}
    .value{align-self:center;font-size:.875rem;line-height:1.25;font-variant-numeric:tabular-nums;color:var(--soft);overflow-wrap:anywhere}
    .row .axis-name{text-align:center}
    .lanes{margin-top:1rem}
    .head{display:grid;grid-template-columns:9.5rem minmax(0,1fr);column-gap:1rem;padding-right:.75rem}
    .head .name{min-width:0;padding-top:.68rem;font-size:.8125rem;line-height:1.2;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .lane{border-top:1px solid var(--line)}
    .lane:last-of-type{border-bottom:1px solid var(--line)}
    summary.head{cursor:pointer;list-style:none}
    summary.head::-webkit-details-marker{display:none}
    summary .name::before{content:"";display:inline-block;width:.36em;height:.36em;margin:0 .65em .12em .1em;border:solid var(--soft);
    border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
    details[open]>summary .name::before{transform:rotate(45deg)}
    summary.head:hover,details.lane[open]{background:var(--wash)}
    .first.axis{position:sticky;top:0;z-index:1;background:var(--paper)}
    .axis .name{color:var(--soft);padding:0}
    .strong{--c:var(--strong)}.middle{--c:var(--middle)}.warm{--c:var(--warm)}.quiet{--c:var(--quiet)}
    .strong,.middle,.warm,.quiet{fill:var(--c)}rect.mark{stroke:var(--c);stroke-width:.7}
    .k0{--c:var(--ink)}.k1{--c:var(--c2)}.k2{--c:var(--c3)}.k3{--c:var(--c4)}
    .sign path{fill:none;stroke:var(--ink);stroke-width:1.6}
    .sign.cross path{stroke:var(--grave);stroke-width:2.4}
    .sign.triangle path{fill:var(--c1);stroke:var(--paper);stroke-width:1}
    .events{margin:0;padding:.5rem .75rem 1rem 1.1rem;list-style:none;max-width:none;font-size:.875rem;line-height:1.5}
    .events li{display:grid;grid-template-columns:8.4rem minmax(0,1fr);gap:1rem}
    .when{color:var(--soft);font-variant-numeric:tabular-nums}
    .grave{color:var(--grave);font-weight:600}
    .scroll{max-width:100%;margin-top:1.5rem;overflow-x:auto}
    .scroll,summary{border-radius:3px}
    :focus-visible{outline:2px solid var(--c0);outline-offset:2px}
    table{border-collapse:collapse;font-size:.875rem;line-height:1.4}
    caption{padding-bottom:.5rem;text-align:left;font-weight:600;font-size:1rem}
    th,td{padding:.4rem 1.5rem .4rem 0;text-align:left;vertical-align:top;font-weight:400;border-bottom:1px solid var(--line);
    min-width:3.5rem}
    td,th{max-width:30rem}
    th:last-child,td:last-child{padding-right:0}
    thead th{color:var(--soft);border-color:var(--rule);vertical-align:bottom}
    .sorted{position:relative}
    .sorted table{display:grid;grid-template-columns:repeat(var(--n),auto);width:max-content;max-width:100%}
    .sorted thead,.sorted tbody{display:contents}
    .sorted tr{display:grid;grid-template-columns:subgrid;grid-column:1/-1}
    .sorted caption{grid-column:1/-1;order:-2}.sorted thead tr{order:-1}
    .sorted thead th{display:flex;align-items:flex-end}.sorted thead .n{justify-content:flex-end}
    .sorted label{cursor:pointer;border-radius:3px}.sorted label::after{content:" ↕"}
    .s0:checked~table tbody tr{order:var(--s0)}.s1:checked~table tbody tr{order:var(--s1)}
    .s2:checked~table tbody tr{order:var(--s2)}.s3:checked~table tbody tr{order:var(--s3)}
    .s4:checked~table tbody tr{order:var(--s4)}.s5:checked~table tbody tr{order:var(--s5)}
    .s6:checked~table tbody tr{order:var(--s6)}.s7:checked~table tbody tr{order:var(--s7)}
    .s8:checked~table tbody tr{order:var(--s8)}.s9:checked~table tbody tr{order:var(--s9)}
    .s10:checked~table tbody tr{order:var(--s10)}.s11:checked~table tbody tr{order:var(--s11)}
    .s0:checked~table thead th:nth-child(1) label::after,.s1:checked~table thead th:nth-child(2) label::after,
    .s2:checked~table thead th:nth-child(3) label::after,.s3:checked~table thead th:nth-child(4) label::after,
    .s4:checked~table thead th:nth-child(5) label::after,.s5:checked~table thead th:nth-child(6) label::after,
    .s6:checked~table thead th:nth-child(7) label::after,.s7:checked~table thead th:nth-child(8) label::after,
    .s8:checked~table thead th:nth-child(9) label::after,.s9:checked~table thead th:nth-child(10) label::after,
    .s10:checked~table thead th:nth-child(11) label::after,.s11:checked~table thead th:nth-child(12) label::after{content:" ↑"}
    .s0:focus-visible~table thead th:nth-child(1) label,.s1:focus-visible~table thead th:nth-child(2) label,
    .s2:focus-visible~table thead th:nth-child(3) label,.s3:focus-visible~table thead th:nth-child(4) label,
    .s4:focus-visible~table thead th:nth-child(5) label,.s5:focus-visible~table thead th:nth-child(6) label,
    .s6:focus-visible~table thead th:nth-child(7) label,.s7:focus-visible~table thead th:nth-child(8) label,
    .s8:focus-visible~table thead th:nth-child(9) label,.s9:focus-visible~table thead th:nth-child(10) label,
    .s10:focus-visible~table thead th:nth-child(11) label,.s11:focus-visible~table thead th:nth-child(12) label{outline:2px solid var(--c0)}
    .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    .data{margin-top:.75rem;font-size:.875rem}
    .data>summary{width:fit-content;cursor:pointer;color:var(--soft);text-decoration:underline;text-decoration-color:var(--rule);
    text-underline-offset:.2em}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    footer{margin-top:5rem;padding-top:1.25rem;border-top:1px solid var(--line);font-size:.875rem;color:var(--soft)}
    footer h2{font-size:.875rem;letter-spacing:0}
    dl{display:grid;gap:.15rem;margin:0}
    dl div{display:grid;grid-template-columns:9.5rem minmax(0,1fr);gap:1rem}
    dt,dd{margin:0}
    dd{color:var(--ink)}
    @media (max-width:46rem){body{padding-top:1.75rem}section{margin-top:3rem}
    .fine,.direct{display:none}
    .legend.narrow{display:flex}
    .plot{padding-right:1rem}
    .rows{display:block}
    .row{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;column-gap:1rem;padding-top:.5rem}
    .label{text-align:left}.value{margin-left:auto;text-align:right}
    .cell{flex:1 0 100%;order:1}
    .head{grid-template-columns:minmax(0,1fr);padding:.3rem 0}
    .head .name{white-space:normal;padding:0}
    .first.axis{padding:0}.axis .name{display:none}
    .events li{grid-template-columns:minmax(0,1fr);gap:0;margin-top:.4rem}
    .events{padding-left:0}
    table{width:max-content}th,td{padding-right:1rem;max-width:16rem}
    dl div{grid-template-columns:minmax(0,1fr);gap:0;margin-top:.4rem}}
    @media print{:root{color-scheme:light}body{padding:0}section{margin-top:2rem}.first.axis{position:static}
    figure,tr,.lane,.row{break-inside:avoid}h2,h3,figcaption{break-after:avoid}.scroll{overflow:visible}
    details.data::details-content{content-visibility:visible;height:auto}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
    @media (prefers-reduced-motion:no-preference){summary .name::before{transition:transform .15s}}

    """
}

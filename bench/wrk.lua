-- For wrk: sends the requests of a file, one after the other, and looks at every answer.
-- Arguments: the file, the status that is expected, what stands in the head, the least bytes of a body,
-- and "again" where the requests may be sent more than once.

local threads = {}
local sent, next_one, again = {}, 0, false
local status_wanted, header_wanted, least = 0, nil, 0
wrong, first_wrong, right, ran_out = 0, "", 0, 0

function setup(thread)
   table.insert(threads, thread)
end

function init(arguments)
   local file = assert(io.open(arguments[1], "rb"))
   local size = file:read("*l")
   while size do
      table.insert(sent, file:read(tonumber(size)))
      size = file:read("*l")
   end
   file:close()
   status_wanted, least = tonumber(arguments[2]), tonumber(arguments[4])
   if arguments[3] ~= "-" then
      header_wanted = arguments[3]
   end
   again = arguments[5] == "again"
end

function request()
   next_one = next_one + 1
   if next_one > #sent then
      if not again then
         ran_out = 1
         wrk.thread:stop()
      end
      next_one = 1
   end
   return sent[next_one]
end

function response(status, headers, body)
   if status == status_wanted and #body >= least and (not header_wanted or headers[header_wanted]) then
      right = right + 1
      return
   end
   if wrong == 0 then
      first_wrong = status .. ": " .. body:sub(1, 300)
   end
   wrong = wrong + 1
end

function done(summary, latency, requests)
   local thread, errors = threads[1], summary.errors
   local lost = errors.connect + errors.read + errors.write + errors.timeout
   io.write(string.format("SUSUN %d %d %d %d %d\n", thread:get("right"), thread:get("wrong"), lost,
      thread:get("ran_out"), summary.duration))
   io.write("SUSUN " .. thread:get("first_wrong"):gsub("%s+", " ") .. "\n")
end
